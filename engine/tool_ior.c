/* ior on its own: the passes of its iterations. */
#include "tool_ior.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "ior_report.h"
#include "shuffle.h"
#include "tool_arguments.h"
#include "tool_memory.h"
#include "tools.h"

/* By how many ranks -Z shifts on this one: to a random rank, at least as far as -Q says; or to the
 * place of this rank in a shuffled list of all. */
static int random_shift(const struct ior_session *session, int iteration) {
  uint64_t key = (uint64_t)session->work.task_seed * 0x9e3779b97f4a7c15ULL + (uint64_t)iteration;
  uint64_t size = (uint64_t)world.size, rank = (uint64_t)world.rank;
  if (session->work.random_tasks > 1)
    return (int)((shuffled(rank, size, key) + size - rank) % size);
  uint64_t nearest = (uint64_t)session->task_offset * (uint64_t)world_node_stride() % size;
  unsigned int state = (unsigned int)(key ^ (key >> 32)) + (unsigned int)world.rank * 2654435761U;
  return (int)(nearest + (uint64_t)rand_r(&state) % (size - nearest));
}

static struct ior_result run_pass(struct ior_session *session, struct ior_work *work,
                                  int iteration) {
  char *phase = format_text("ior %s, iteration %d", work->write ? "write" : "read", iteration);
  fail_phase_is(phase);
  if (session->delay && session->count) sleep((unsigned int)session->delay);
  struct ior_result result = ior_run(work);
  arguments_record_end(phase);
  fail_phase_is("ior");
  free(phase);
  return result;
}

static struct ior_record *run_reported(struct ior_session *session, struct ior_work *work,
                                       int iteration) {
  struct ior_record *record = &session->records[session->count];
  bool check = work->write && session->check;
  work->csv_goes_on = session->count > 0;
  *record = (struct ior_record){run_pass(session, work, iteration), iteration, work->write,
                                work->verify || check};
  session->count++;
  if (world.rank != 0) return record;
  /* A row of CSV ends with the errors, which the check is yet to find. */
  if (!check || session->format != IOR_CSV) ior_tell_pass(session, work, record);
  if (!check) ior_tell_errors(work, record);
  return record;
}

/* Where to say what is no result: JSON, CSV and a file of the summary have no place for it. */
static FILE *remarks(const struct ior_session *session) {
  return session->out == stdout ? stdout : stderr;
}

/* Reads what was written once more and compares: wrong data counts to the pass that wrote it. */
static void check_written(struct ior_session *session, const struct ior_work *written,
                          struct ior_record *record) {
  struct ior_work check = *written;
  check.verify = true;
  check.stonewall = 0;
  check.csv = check.operations = NULL;
  record->result.errors = run_pass(session, &check, record->iteration).errors;
  if (world.rank != 0) return;
  if (record->result.errors)
    fprintf(remarks(session), "WARNING: Incorrect data on write (%" PRIu64 " errors found).\n",
            record->result.errors);
  if (session->format == IOR_CSV) ior_tell_pass(session, written, record);
  ior_tell_errors(written, record);
}

/* Writing, checking and reading once. Returns the transfers with wrong data. */
static uint64_t run_iteration(struct ior_session *session, int iteration) {
  struct ior_work work = session->work;
  struct ior_record *written = NULL;
  uint64_t errors = 0;
  char *file = format_text("%s.%d", work.file, iteration);
  work.iteration = iteration;
  if (session->multi_file) work.file = file;
  if (session->write) {
    work.write = true;
    written = run_reported(session, &work, iteration);
    work.write = false;
    /* Reading stops where the stonewall stopped the rank that wrote least. */
    if (work.stonewall && !work.count_file) work.most = written->result.least;
  }
  if (session->work.random_tasks) work.rank_shift = random_shift(session, iteration);
  if (written && session->check) {
    check_written(session, &work, written);
    errors += written->result.errors;
  }
  if (session->read) {
    work.verify = session->check_read;
    errors += run_reported(session, &work, iteration)->result.errors;
  }
  if (session->write && !session->keep && !(errors && session->keep_with_error)) {
    double seconds = ior_remove_files(&work);
    if (world.rank == 0) ior_tell_removal(session, seconds, iteration);
  }
  free(file);
  return errors;
}

/* Where the results go: stdout or a file. JSON and CSV have stdout for themselves: what else would
 * be said there goes to stderr. */
static void open_output(struct ior_session *session, const char *unfinished) {
  if (world.rank != 0) return;
  session->out = stdout;
  if (unfinished) {
    session->out = create_file(unfinished);
  } else if (session->format != IOR_TEXT) {
    session->out = fdopen(dup(STDOUT_FILENO), "w");
    if (!session->out) fail_call("dup", "stdout", -1, errno);
    setvbuf(session->out, NULL, _IOLBF, 0);
  }
}

static void close_output(struct ior_session *session, const char *unfinished) {
  if (world.rank != 0) return;
  if (!unfinished) {
    if (ferror(session->out) || fflush(session->out)) fail_call("write", "stdout", -1, errno);
    return;
  }
  close_file(session->out, unfinished);
  if (rename(unfinished, session->summary_file)) fail_call("rename", unfinished, -1, errno);
  printf("Writing output to %s\n", session->summary_file);
}

/* Whether the minutes of -T are over before this iteration, as rank 0 sees it. */
static bool is_late(const struct ior_session *session, double start, int iteration) {
  int late = session->minutes && now() - start > 60.0 * (double)session->minutes;
  MPI_Bcast(&late, 1, MPI_INT, 0, world.comm);
  if (late && world.rank == 0)
    fprintf(remarks(session),
            "WARNING: %d of %d iterations done when the time of -T %" PRId64
            " (minutes) was over: the others are left out\n",
            iteration, session->work.repetitions, session->minutes);
  return late;
}

static uint64_t run_session(struct ior_session *session) {
  char *unfinished = NULL;
  uint64_t errors = 0;
  double start = now();
  void *memory = memory_occupy(session->memory, "ior");
  if (session->summary_file) unfinished = format_text("%s.unfinished", session->summary_file);
  session->records =
      need_memory(calloc(2 * (size_t)session->work.repetitions, sizeof *session->records));
  open_output(session, unfinished);
  if (session->format != IOR_TEXT && !unfinished) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (world.rank == 0) ior_tell_head(session);
  for (int i = 0; i < session->work.repetitions && !is_late(session, start, i); i++)
    errors += run_iteration(session, i);
  if (world.rank == 0) ior_tell_summary(session);
  close_output(session, unfinished);
  free(session->records);
  free(unfinished);
  free(memory);
  return errors;
}

int tool_ior(int argc, char **argv) {
  if (!ior_arguments(argc, argv)) return 0;
  char *command = arguments_line(argc, argv, "");
  struct ior_session session = ior_session_given(command);
  char *began = format_text("%s", ior_date());
  session.began = began;
  fail_phase_is("ior");
  uint64_t errors = 0;
  if (session.tasks > 0) { /* the other ranks only wait */
    bool mine = world.rank < session.tasks;
    struct world all = world_split(mine ? 0 : 1);
    if (mine) errors = run_session(&session);
    world_join(&all);
  } else {
    errors = run_session(&session);
  }
  free(began);
  free(command);
  return errors ? 1 : 0;
}
