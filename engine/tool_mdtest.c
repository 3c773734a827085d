/* mdtest on its own: its options, the operations of its iterations, and their summary. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "mdtest.h"
#include "mdtest_report.h"
#include "statistics.h"
#include "tool_arguments.h"
#include "tools.h"

static struct {
  bool create, stat, read, remove, rename, directories, files, leaf_only, rate_and_time, time_only;
  bool unique, overhead, verify, verify_write, sync_file, sync_all, direct, mknod, collective,
      random;
  int verbosity;
  const char *api, *directory, *status_file, *packet, *csv;
  int64_t branch, depth, items, each, iterations, stride, delay, stonewall, seed, level,
      random_seed;
  uint64_t write_bytes, read_bytes;
} given = {
    .api = "POSIX", .directory = "./out", .packet = "timestamp", .branch = 1, .iterations = 1};

#define MOST 2000000000
static const struct argument arguments[] = {
    {"-C", NULL, NULL, ARGUMENT_FLAG, &given.create, 0, 0, "only create, and leave what is made"},
    {"-T", NULL, NULL, ARGUMENT_FLAG, &given.stat, 0, 0, "only stat what an earlier call left"},
    {"-E", NULL, NULL, ARGUMENT_FLAG, &given.read, 0, 0, "only read what an earlier call left"},
    {"-r", NULL, NULL, ARGUMENT_FLAG, &given.remove, 0, 0, "only remove what an earlier call left"},
    {"-U", NULL, NULL, ARGUMENT_FLAG, &given.rename, 0, 0,
     "rename directories too, where -C, -T, -E or -r leave that out"},
    {"-D", NULL, NULL, ARGUMENT_FLAG, &given.directories, 0, 0, "directories only, no files"},
    {"-F", NULL, NULL, ARGUMENT_FLAG, &given.files, 0, 0, "files only, no directories"},
    {"-c", NULL, NULL, ARGUMENT_FLAG, &given.collective, 0, 0,
     "rank 0 creates the items of all ranks"},
    {"-k", NULL, NULL, ARGUMENT_FLAG, &given.mknod, 0, 0, "make files with mknod"},
    {"-R", NULL, NULL, ARGUMENT_FLAG, &given.random, 0, 0, "stat in a random order"},
    {"-L", NULL, NULL, ARGUMENT_FLAG, &given.leaf_only, 0, 0,
     "items in the lowest directories of the tree only"},
    {"-P", NULL, NULL, ARGUMENT_FLAG, &given.rate_and_time, 0, 0, "tell rate and time"},
    {"-Z", NULL, NULL, ARGUMENT_FLAG, &given.time_only, 0, 0, "tell time, not rate"},
    {"-t", NULL, NULL, ARGUMENT_FLAG, &given.overhead, 0, 0,
     "accepted as in IO500's calls, which have no directories of their own to time"},
    {"-u", NULL, NULL, ARGUMENT_FLAG, &given.unique, 0, 0, "a directory tree a rank"},
    {"-v", NULL, NULL, ARGUMENT_COUNT, &given.verbosity, 0, 0, "tell each operation when it ends"},
    {"-X", "--verify-read", NULL, ARGUMENT_FLAG, &given.verify, 0, 0, "compare what is read"},
    {"--verify-write", NULL, NULL, ARGUMENT_FLAG, &given.verify_write, 0, 0,
     "read each file back as soon as it is written, and compare"},
    {"-y", NULL, NULL, ARGUMENT_FLAG, &given.sync_file, 0, 0, "fsync each file after writing it"},
    {"-Y", NULL, NULL, ARGUMENT_FLAG, &given.sync_all, 0, 0,
     "sync after each operation's phase, inside the time"},
    {"--posix.odirect", NULL, NULL, ARGUMENT_FLAG, &given.direct, 0, 0,
     "direct I/O, past the page cache"},
    {"-a", NULL, NULL, ARGUMENT_TEXT, &given.api, 0, 0, "POSIX"},
    {"-b", NULL, NULL, ARGUMENT_NUMBER, &given.branch, 1, 1000000,
     "directories below each directory of the tree"},
    {"-d", NULL, NULL, ARGUMENT_TEXT, &given.directory, 0, 0, "where to work"},
    {"-e", NULL, NULL, ARGUMENT_SIZE, &given.read_bytes, 0, 0,
     "bytes to read of each file; 0: only open and close"},
    {"-G", NULL, NULL, ARGUMENT_NUMBER, &given.seed, INT32_MIN, INT32_MAX, "seed of the data"},
    {"-i", NULL, NULL, ARGUMENT_NUMBER, &given.iterations, 1, 1000000, "iterations"},
    {"-I", NULL, NULL, ARGUMENT_NUMBER, &given.items, 0, MOST, "items a directory"},
    {"-n", NULL, NULL, ARGUMENT_NUMBER, &given.each, 0, 0,
     "items a rank; with -I in as many trees as that takes"},
    {"-N", NULL, NULL, ARGUMENT_NUMBER, &given.stride, 0, MOST,
     "by how many nodes a rank goes on between operations, past caches"},
    {"-p", NULL, NULL, ARGUMENT_NUMBER, &given.delay, 0, MOST, "seconds before each iteration"},
    {"--random-seed", NULL, NULL, ARGUMENT_NUMBER, &given.random_seed, 0, MOST, "seed of -R"},
    {"-V", NULL, NULL, ARGUMENT_NUMBER, &given.level, 0, 10, "as so many -v"},
    {"-w", NULL, NULL, ARGUMENT_SIZE, &given.write_bytes, 0, 0, "bytes to write to each file"},
    {"-W", NULL, NULL, ARGUMENT_NUMBER, &given.stonewall, 0, MOST,
     "seconds after which creating files stops; then each rank does as much as the fastest"},
    {"-x", NULL, NULL, ARGUMENT_TEXT, &given.status_file, 0, 0,
     "keeps the files of a rank, for a later call that does not create"},
    {"-z", NULL, NULL, ARGUMENT_NUMBER, &given.depth, 0, 1000, "depth of the tree"},
    {"-l", "--dataPacketType", NULL, ARGUMENT_TEXT, &given.packet, 0, 0,
     "timestamp, offset, incompressible or random"},
    {"--saveRankPerformanceDetails", NULL, NULL, ARGUMENT_TEXT, &given.csv, 0, 0,
     "CSV file for a row a rank and iteration"},
    {.value = NULL}};

static const struct tool tool = {
    .name = "mdtest", .synopsis = "mdtest [options]", .arguments = arguments};

/* What an iteration measured, by row. */
struct measured {
  double rate[MDTEST_ROWS], time[MDTEST_ROWS];
};

struct session {
  struct mdtest_work work;
  bool all; /* none of -C, -T, -E, -r */
  uint64_t files, errors;
  struct measured *iterations;
  FILE *csv;
  double *ranks; /* times of all ranks by row; rank 0 */
};

#define MOST_DIRECTORIES 1e9
static void check_given(void) {
  double directories = 1, level = 1;
  for (int64_t i = 0; i < given.depth && directories <= MOST_DIRECTORIES; i++)
    directories += level *= (double)given.branch;
  if (directories > MOST_DIRECTORIES)
    refuse("mdtest: -b %" PRId64 " -z %" PRId64 " makes a tree of more than 10^9 directories",
           given.branch, given.depth);
  if (given.collective && given.stonewall) refuse("mdtest: -c with -W is not supported");
  if (!given.items && !given.each)
    refuse("mdtest: how many? -n items a rank, or -I items a directory");
  if (given.files && given.directories) refuse("mdtest: -F and -D leave nothing to do");
  if (given.overhead && given.unique) refuse("mdtest: -t with -u is not supported");
  if (given.read_bytes > given.write_bytes)
    refuse("mdtest: -e %" PRIu64 " is more than -w %" PRIu64 " writes", given.read_bytes,
           given.write_bytes);
  if (given.write_bytes > INT32_MAX)
    refuse("mdtest: -w %" PRIu64 ": a file has less than 2 GiB", given.write_bytes);
  if (strcasecmp(given.api, "POSIX"))
    refuse("mdtest: -a %s is not supported; there is POSIX", given.api);
}

static struct mdtest_tree tree_given(void) {
  struct mdtest_tree tree = {.branch = (uint64_t)given.branch,
                             .depth = (uint64_t)given.depth,
                             .leaf_only = given.leaf_only};
  uint64_t directories = mdtest_item_directories(&tree);
  tree.items = given.items ? (uint64_t)given.items : (uint64_t)given.each / directories;
  if (given.items && given.each) {
    uint64_t a_tree = tree.items * directories, items = (uint64_t)given.each;
    tree.trees = items / a_tree + (items % a_tree != 0);
  }
  if (!tree.items)
    refuse("mdtest: -n %" PRId64 " is less than one item for each of %" PRIu64 " directories",
           given.each, directories);
  return tree;
}

static struct session session_given(char *command) {
  struct session session = {
      .all = !(given.create || given.stat || given.read || given.remove),
      .iterations = need_memory(calloc((size_t)given.iterations, sizeof *session.iterations)),
  };
  struct mdtest_tree tree = tree_given();
  session.files = tree.trees ? (uint64_t)given.each : tree.items * mdtest_item_directories(&tree);
  given.verbosity += (int)given.level;
  session.work = (struct mdtest_work){
      .command = command,
      .directory = given.directory,
      .own_directories = given.unique,
      .direct = given.direct,
      .seed = (int32_t)given.seed,
      .tree = tree,
      .trees_stay = true,
      .sync_never = !given.sync_all,
      .sync_always = given.sync_all,
      .sync_file = given.sync_file,
      .unverified = !given.verify,
      .verify_write = given.verify_write,
      .mknod = given.mknod,
      .collective = given.collective,
      .random_stat = given.random,
      .random_seed = given.random_seed,
      .strides_beyond_one = (int)given.stride - 1,
  };
  if (!packet_parse(given.packet, &session.work.packet))
    refuse("mdtest: --dataPacketType = %s: there are timestamp, offset, incompressible and random",
           given.packet);
  return session;
}

static bool is_wanted(const struct session *session, enum mdtest_operation operation) {
  switch (operation) {
    case MDTEST_CREATE: return session->all || given.create;
    case MDTEST_STAT: return session->all || given.stat;
    case MDTEST_READ: return session->all || given.read;
    case MDTEST_RENAME: return session->all || given.rename;
    default: return session->all || given.remove;
  }
}

static void tell_head(const struct session *session) {
  const struct mdtest_work *work = &session->work;
  if (!given.read_bytes && !given.directories && is_wanted(session, MDTEST_READ))
    puts("WARNING: Read bytes is 0, thus, a read test will actually just open/close");
  printf("Nodemap: %s\n", world.nodemap);
  mdtest_print_file_system(stdout, work);
  printf("%d tasks, %" PRIu64 " %s\n", world.size, session->files * (uint64_t)world.size,
         given.files         ? "files"
         : given.directories ? "directories"
                             : "files/directories");
}

static void tell_when_done(const struct measured *measured, int row) {
  if (world.rank == 0 && given.verbosity)
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
  work->stonewall = row == ROW_FILE_CREATE ? (int)given.stonewall : 0;
  struct mdtest_result result = mdtest_run(work);
  arguments_record_end(phase);
  into->rate[row] = result.rate;
  into->time[row] = result.time;
  session->errors += result.errors;
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
  work.bytes = given.write_bytes;
  work.unread = given.write_bytes - given.read_bytes;
  work.count_file = given.status_file;
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
  if (given.unique)
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

static void run_iteration(struct session *session, int iteration) {
  struct measured *into = &session->iterations[iteration];
  struct mdtest_work work = session->work;
  work.files = session->files;
  work.iteration = iteration;
  if (given.delay) sleep((unsigned int)given.delay);
  if (is_wanted(session, MDTEST_CREATE)) measure_trees(session, &work, into, ROW_TREE_CREATE);
  MPI_Barrier(world.comm);
  if (!given.files) measure_directories(session, work, into);
  if (!given.directories) measure_files(session, work, into);
  if (is_wanted(session, MDTEST_REMOVE)) measure_trees(session, &work, into, ROW_TREE_REMOVE);
  if (session->csv) add_to_csv(session, into);
}

static bool has_row(int row) {
  if (row == ROW_DIRECTORY_READ) return false;
  if (row < ROW_FILE_CREATE) return !given.files;
  return row >= ROW_TREE_CREATE || !given.directories;
}

static void tell_table(const struct session *session, bool times) {
  double *values = need_memory(malloc(sizeof(double) * (size_t)given.iterations));
  mdtest_print_table_head(stdout, times ? "time (in ms/op)" : "rate (in ops/sec)",
                          (int)given.iterations);
  for (int row = 0; row < MDTEST_ROWS; row++) {
    if (!has_row(row)) continue;
    for (int64_t i = 0; i < given.iterations; i++)
      values[i] = times ? session->iterations[i].time[row] : session->iterations[i].rate[row];
    struct statistics of = statistics_of(values, (size_t)given.iterations);
    printf("   %-18s %18.3f %14.3f %14.3f %14.3f\n", mdtest_row_names[row], of.max, of.min, of.mean,
           of.sample_deviation);
  }
  free(values);
}

/* Rank 0. */
static void open_csv(struct session *session) {
  session->ranks = need_memory(calloc((size_t)world.size * MDTEST_ROWS, sizeof(double)));
  if (!given.csv) return;
  session->csv = create_file(given.csv);
  mdtest_csv_head(session->csv);
}

int tool_mdtest(int argc, char **argv) {
  if (!arguments_parse(&tool, argc, argv)) return 0;
  check_given();
  char *command = arguments_line(argc, argv, "'");
  struct session session = session_given(command);
  struct stat status;
  bool new = world.rank == 0 && stat(given.directory, &status);
  if (world.rank == 0) {
    mdtest_print_date(stdout, "started");
    printf("mdtest-%s was launched with %d total task(s) on %d node(s)\nCommand line used: %s\n",
           ENGINE_VERSION, world.size, world.nodes, command);
    if (new && is_wanted(&session, MDTEST_CREATE) && mkdir(given.directory, 0775))
      fail_call("mkdir", given.directory, -1, errno);
    tell_head(&session);
    open_csv(&session);
  }
  for (int i = 0; i < given.iterations; i++) run_iteration(&session, i);
  if (world.rank == 0) {
    if (!given.time_only) tell_table(&session, false);
    if (given.time_only || given.rate_and_time) tell_table(&session, true);
    mdtest_print_date(stdout, "finished");
    if (new && is_wanted(&session, MDTEST_REMOVE)) rmdir(given.directory);
  }
  if (session.csv && fclose(session.csv)) fail_call("write", given.csv, -1, errno);
  free(session.ranks);
  free(session.iterations);
  free(command);
  return session.errors ? 1 : 0;
}
