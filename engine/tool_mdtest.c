/* mdtest on its own: the operations of its iterations, and their summary. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "mdtest.h"
#include "mdtest_report.h"
#include "statistics.h"
#include "tool_arguments.h"
#include "tool_mdtest.h"
#include "tools.h"

static const struct mdtest_given *given;

/* What an iteration measured, by row. */
struct measured {
  double rate[MDTEST_ROWS], time[MDTEST_ROWS];
  uint64_t errors[MDTEST_ROWS];
};

struct session {
  struct mdtest_work work;
  bool all; /* none of -C, -T, -E, -r */
  uint64_t files, errors;
  struct measured *iterations;
  FILE *csv;
  double *ranks; /* times of all ranks by row; rank 0 */
};

static struct session session_given(char *command) {
  struct session session = {
      .all = !(given->create || given->stat || given->read || given->remove),
      .iterations = need_memory(calloc((size_t)given->iterations, sizeof *session.iterations)),
  };
  struct mdtest_tree tree = mdtest_tree_given();
  session.files = tree.trees ? (uint64_t)given->each : tree.items * mdtest_item_directories(&tree);
  session.work = (struct mdtest_work){
      .command = command,
      .directory = given->directory,
      .own_directories = given->unique,
      .direct = given->direct,
      .seed = (int32_t)given->seed,
      .tree = tree,
      .trees_stay = true,
      .sync_never = !given->sync_all,
      .sync_always = given->sync_all,
      .sync_file = given->sync_file,
      .unverified = !given->verify,
      .verify_write = given->verify_write,
      .mknod = given->mknod,
      .collective = given->collective,
      .random_stat = given->random,
      .random_seed = given->random_seed,
      .strides_beyond_one = (int)given->stride - 1,
  };
  if (!packet_parse(given->packet, &session.work.packet))
    refuse("mdtest: --dataPacketType = %s: there are timestamp, offset, incompressible and random",
           given->packet);
  return session;
}

static bool is_wanted(const struct session *session, enum mdtest_operation operation) {
  switch (operation) {
    case MDTEST_CREATE: return session->all || given->create;
    case MDTEST_STAT: return session->all || given->stat;
    case MDTEST_READ: return session->all || given->read;
    case MDTEST_RENAME: return session->all || given->rename;
    default: return session->all || given->remove;
  }
}

static void tell_head(const struct session *session) {
  const struct mdtest_work *work = &session->work;
  if (!given->read_bytes && !given->directories && is_wanted(session, MDTEST_READ))
    puts("WARNING: Read bytes is 0, thus, a read test will actually just open/close");
  printf("Nodemap: %s\n", world.nodemap);
  mdtest_print_file_system(stdout, work);
  printf("%d tasks, %" PRIu64 " %s\n", world.size, session->files * (uint64_t)world.size,
         given->files         ? "files"
         : given->directories ? "directories"
                              : "files/directories");
}

static void tell_when_done(const struct measured *measured, int row) {
  if (world.rank == 0 && given->verbosity)
    printf("V-1: %-18s %14.6f s %18.3f ops/sec\n", mdtest_row_names[row], measured->time[row],
           measured->rate[row]);
}

static void gather_ranks(struct session *session, int row, double own) {
  double *to = session->ranks ? session->ranks + row * world.size : NULL;
  MPI_Gather(&own, 1, MPI_DOUBLE, to, 1, MPI_DOUBLE, 0, world.comm);
}

/* One operation on all items of one kind. Returns how many a rank did. */
static uint64_t measure(struct session *session, struct mdtest_work *work, struct measured *into,
                        enum mdtest_operation operation, int row) {
  if (!is_wanted(session, operation)) return work->files;
  char *phase = format_text("mdtest %s, iteration %d", mdtest_row_names[row], work->iteration);
  fail_phase_is(phase);
  work->operation = operation;
  work->stonewall = row == ROW_FILE_CREATE ? (int)given->stonewall : 0;
  struct mdtest_result result = mdtest_run(work);
  arguments_record_end(phase);
  into->rate[row] = result.rate;
  into->time[row] = result.time;
  session->errors += into->errors[row] = result.errors;
  if (result.errors && world.rank == 0)
    printf("WARNING: %s: %" PRIu64 " operations failed or found wrong data; the rate is of the "
           "others\n",
           mdtest_row_names[row], result.errors);
  gather_ranks(session, row, result.own);
  tell_when_done(into, row);
  fail_phase_is("mdtest");
  free(phase);
  return result.items;
}

static void measure_directories(struct session *session, struct mdtest_work work,
                                struct measured *into) {
  work.directories = true;
  measure(session, &work, into, MDTEST_CREATE, ROW_DIRECTORY_CREATE);
  measure(session, &work, into, MDTEST_STAT, ROW_DIRECTORY_STAT);
  measure(session, &work, into, MDTEST_RENAME, ROW_DIRECTORY_RENAME);
  measure(session, &work, into, MDTEST_REMOVE, ROW_DIRECTORY_REMOVE);
}

static void measure_files(struct session *session, struct mdtest_work work, struct measured *into) {
  work.bytes = given->write_bytes;
  work.unread = given->write_bytes - given->read_bytes;
  work.count_file = given->status_file;
  work.files = measure(session, &work, into, MDTEST_CREATE, ROW_FILE_CREATE);
  measure(session, &work, into, MDTEST_STAT, ROW_FILE_STAT);
  measure(session, &work, into, MDTEST_READ, ROW_FILE_READ);
  measure(session, &work, into, MDTEST_REMOVE, ROW_FILE_REMOVE);
}

static void measure_trees(struct session *session, const struct mdtest_work *work,
                          struct measured *into, int row) {
  fail_phase_is("mdtest trees");
  MPI_Barrier(world.comm);
  double own = row == ROW_TREE_CREATE ? mdtest_make_trees(work) : mdtest_remove_trees(work);
  into->time[row] = reduce_double(own, MPI_MAX);
  double trees = work->tree.trees ? (double)work->tree.trees : 1;
  double directories = trees * (double)mdtest_directories(&work->tree);
  into->rate[row] = into->time[row] > 0 ? directories / into->time[row] : 0;
  tell_when_done(into, row);
  gather_ranks(session, row, own);
}

static void add_to_csv(const struct session *session, const struct measured *measured) {
  struct measured all = *measured;
  if (given->unique)
    for (int row = ROW_TREE_CREATE; row < MDTEST_ROWS; row++) all.rate[row] *= world.size;
  fprintf(session->csv, "all,%" PRIu64, session->files);
  mdtest_csv_cells(session->csv, MDTEST_ROWS, all.rate, all.time);
  for (int rank = 0; rank < world.size; rank++) {
    struct measured own = {0};
    for (int row = 0; row < ROW_TREE_CREATE; row++) {
      if (!(measured->time[row] > 0)) continue;
      own.time[row] = session->ranks[row * world.size + rank];
      double items = measured->rate[row] * measured->time[row] / world.size;
      own.rate[row] = own.time[row] > 0 ? items / own.time[row] : 0;
    }
    fprintf(session->csv, "%d,", rank);
    mdtest_csv_cells(session->csv, ROW_TREE_CREATE, own.rate, own.time);
  }
}

/* Upstream's columns have no place for them: a row of their own, under the rate of the others. */
static void add_errors_to_csv(FILE *csv, const struct measured *measured) {
  bool any = false;
  for (int row = 0; row < MDTEST_ROWS; row++) any |= measured->errors[row] > 0;
  if (!any) return;
  fputs("errors,", csv);
  for (int row = 0; row < MDTEST_ROWS; row++)
    if (measured->errors[row])
      fprintf(csv, ",%" PRIu64 ",", measured->errors[row]);
    else
      fputs(",,", csv);
  fputc('\n', csv);
}

static void run_iteration(struct session *session, int iteration) {
  struct measured *into = &session->iterations[iteration];
  struct mdtest_work work = session->work;
  work.files = session->files;
  work.iteration = iteration;
  if (given->delay) sleep((unsigned int)given->delay);
  if (is_wanted(session, MDTEST_CREATE)) measure_trees(session, &work, into, ROW_TREE_CREATE);
  MPI_Barrier(world.comm);
  if (!given->files) measure_directories(session, work, into);
  if (!given->directories) measure_files(session, work, into);
  if (is_wanted(session, MDTEST_REMOVE)) measure_trees(session, &work, into, ROW_TREE_REMOVE);
  if (!session->csv) return;
  add_to_csv(session, into);
  add_errors_to_csv(session->csv, into);
}

static bool has_row(int row) {
  if (row == ROW_DIRECTORY_READ) return false;
  if (row < ROW_FILE_CREATE) return !given->files;
  return row >= ROW_TREE_CREATE || !given->directories;
}

static void tell_table(const struct session *session, bool times) {
  double *values = need_memory(malloc(sizeof(double) * (size_t)given->iterations));
  mdtest_print_table_head(stdout, times ? "time (in ms/op)" : "rate (in ops/sec)",
                          (int)given->iterations);
  for (int row = 0; row < MDTEST_ROWS; row++) {
    if (!has_row(row)) continue;
    for (int64_t i = 0; i < given->iterations; i++)
      values[i] = times ? session->iterations[i].time[row] : session->iterations[i].rate[row];
    struct statistics of = statistics_of(values, (size_t)given->iterations);
    printf("   %-18s %18.3f %14.3f %14.3f %14.3f\n", mdtest_row_names[row], of.max, of.min, of.mean,
           of.sample_deviation);
  }
  free(values);
}

/* Rank 0. */
static void open_csv(struct session *session) {
  session->ranks = need_memory(calloc((size_t)world.size * MDTEST_ROWS, sizeof(double)));
  if (!given->csv) return;
  session->csv = create_file(given->csv);
  mdtest_csv_head(session->csv);
}

int tool_mdtest(int argc, char **argv) {
  if (!(given = mdtest_arguments(argc, argv))) return 0;
  char *command = arguments_line(argc, argv, "'");
  struct session session = session_given(command);
  struct stat status;
  bool new = world.rank == 0 && stat(given->directory, &status);
  if (world.rank == 0) {
    mdtest_print_date(stdout, "started");
    printf("mdtest-%s was launched with %d total task(s) on %d node(s)\nCommand line used: %s\n",
           ENGINE_VERSION, world.size, world.nodes, command);
    if (new && is_wanted(&session, MDTEST_CREATE) && mkdir(given->directory, 0775))
      fail_call("mkdir", given->directory, -1, errno);
    tell_head(&session);
    open_csv(&session);
  }
  for (int i = 0; i < given->iterations; i++) run_iteration(&session, i);
  if (world.rank == 0) {
    if (!given->time_only) tell_table(&session, false);
    if (given->time_only || given->rate_and_time) tell_table(&session, true);
    mdtest_print_date(stdout, "finished");
    if (new && is_wanted(&session, MDTEST_REMOVE)) rmdir(given->directory);
  }
  if (session.csv) close_file(session.csv, given->csv);
  free(session.ranks);
  free(session.iterations);
  free(command);
  return session.errors ? 1 : 0;
}
