/* ior on its own: its options, and the passes of its iterations. */
#include "tool_ior.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "api.h"
#include "common.h"
#include "files.h"
#include "ior_report.h"
#include "shuffle.h"
#include "tool_arguments.h"
#include "tools.h"

static struct {
  bool collective, task_order, fsync, existing, file_per_process, barriers, keep, keep_with_error;
  bool read, check_read, unique, write, check_write, direct, uring_direct;
  int random_offset, random_tasks, verbosity;
  const char *api, *packet, *file, *status_file, *summary_file, *summary_format, *csv;
  uint64_t block, transfer;
  int64_t reference, delay, stonewall, wear_out, limit, seed, repetitions, task_offset, segments,
      task_seed, offset_seed, depth;
} given = {.api = "POSIX",
           .packet = "timestamp",
           .file = "testFile",
           .summary_format = "default",
           .block = 1 << 20,
           .transfer = 1 << 18,
           .repetitions = 1,
           .task_offset = 1,
           .segments = 1,
           .offset_seed = -1};

#define MOST 2000000000
static const struct argument arguments[] = {
    {"-c", "--collective", "collective", ARGUMENT_FLAG, &given.collective, 0, 0,
     "collective transfers (with -a MPIIO)"},
    {"-B", "--posix.odirect", "useO_DIRECT", ARGUMENT_FLAG, &given.direct, 0, 0,
     "direct I/O, past the page cache (POSIX)"},
    {"-C", NULL, "reorderTasks", ARGUMENT_FLAG, &given.task_order, 0, 0,
     "read what another node wrote, past this one's cache"},
    {"-e", NULL, "fsync", ARGUMENT_FLAG, &given.fsync, 0, 0,
     "fsync at the end of writing, inside the time"},
    {"-E", NULL, "useExistingTestFile", ARGUMENT_FLAG, &given.existing, 0, 0,
     "write into files that are there; without it they are removed first"},
    {"-F", NULL, "filePerProc", ARGUMENT_FLAG, &given.file_per_process, 0, 0, "a file a rank"},
    {"-g", NULL, "intraTestBarriers", ARGUMENT_FLAG, &given.barriers, 0, 0,
     "barriers between open, transfers and close"},
    {"-k", NULL, "keepFile", ARGUMENT_FLAG, &given.keep, 0, 0,
     "keep the files; without it those that this call wrote are removed"},
    {"-K", NULL, "keepFileWithError", ARGUMENT_FLAG, &given.keep_with_error, 0, 0,
     "keep files with wrong data"},
    {"-r", NULL, "readFile", ARGUMENT_FLAG, &given.read, 0, 0, "read"},
    {"-R", NULL, "checkRead", ARGUMENT_FLAG, &given.check_read, 0, 0,
     "read and compare every byte, inside the time"},
    {"-u", NULL, "uniqueDir", ARGUMENT_FLAG, &given.unique, 0, 0, "a directory a rank (with -F)"},
    {"-v", NULL, "verbose", ARGUMENT_COUNT, &given.verbosity, 0, 0, "tell more"},
    {"-w", NULL, "writeFile", ARGUMENT_FLAG, &given.write, 0, 0, "write"},
    {"-W", NULL, "checkWrite", ARGUMENT_FLAG, &given.check_write, 0, 0,
     "write, then read and compare every byte, outside the time"},
    {"-z", NULL, "randomOffset", ARGUMENT_COUNT, &given.random_offset, 0, 0,
     "each transfer once in a random order; twice: random offsets, which may come again"},
    {"-Z", NULL, "reorderTasksRandom", ARGUMENT_COUNT, &given.random_tasks, 0, 0,
     "read what a random other rank wrote; twice: each rank's data once"},
    {"--iouring.odirect", NULL, NULL, ARGUMENT_FLAG, &given.uring_direct, 0, 0,
     "direct I/O (IOURING)"},
    {"-a", NULL, "api", ARGUMENT_TEXT, &given.api, 0, 0, "POSIX, MPIIO or IOURING"},
    {"-A", NULL, "refNum", ARGUMENT_NUMBER, &given.reference, 0, MOST, "a number for the summary"},
    {"-b", NULL, "blockSize", ARGUMENT_SIZE, &given.block, 0, 0,
     "bytes of a rank that lie together"},
    {"-d", NULL, "interTestDelay", ARGUMENT_NUMBER, &given.delay, 0, MOST,
     "seconds between passes"},
    {"-D", NULL, "deadlineForStonewalling", ARGUMENT_NUMBER, &given.stonewall, 0, MOST,
     "seconds after which a pass stops; 0: when all is done"},
    {"-G", NULL, "setTimeStampSignature", ARGUMENT_NUMBER, &given.seed, INT32_MIN, INT32_MAX,
     "seed of the data"},
    {"-i", NULL, "repetitions", ARGUMENT_NUMBER, &given.repetitions, 1, 1000000, "iterations"},
    {"-l", "--dataPacketType", "dataPacketType", ARGUMENT_TEXT, &given.packet, 0, 0,
     "timestamp, offset, incompressible or random"},
    {"-o", NULL, "testFile", ARGUMENT_TEXT, &given.file, 0, 0, "the file; with -F its beginning"},
    {"-Q", NULL, "taskPerNodeOffset", ARGUMENT_NUMBER, &given.task_offset, 0, MOST,
     "by how many nodes -C shifts, and -Z at least"},
    {"-s", NULL, "segmentCount", ARGUMENT_NUMBER, &given.segments, 1, 0, "blocks of a rank"},
    {"-t", NULL, "transferSize", ARGUMENT_SIZE, &given.transfer, 0, 0, "bytes of a transfer"},
    {"-X", NULL, "reorderTasksRandomSeed", ARGUMENT_NUMBER, &given.task_seed, 0, MOST,
     "seed of -Z"},
    {"--random-offset-seed", NULL, NULL, ARGUMENT_NUMBER, &given.offset_seed, -1, MOST,
     "seed of -z; -1: that of the data"},
    {"--iouring.depth", NULL, NULL, ARGUMENT_NUMBER, &given.depth, 0, 4096,
     "transfers of a rank under way at once (IOURING); 0: its default"},
    {NULL, NULL, "stoneWallingWearOut", ARGUMENT_NUMBER, &given.wear_out, 0, 1,
     "1: after the stonewall each rank does as much as the fastest"},
    {NULL, NULL, "stoneWallingWearOutIterations", ARGUMENT_NUMBER, &given.limit, 0, 0,
     "transfers of a rank, at most; 0: all"},
    {NULL, NULL, "stoneWallingStatusFile", ARGUMENT_TEXT, &given.status_file, 0, 0,
     "keeps the transfers of a rank, for a later call that reads"},
    {NULL, NULL, "summaryFile", ARGUMENT_TEXT, &given.summary_file, 0, 0,
     "file for the results; it appears when all is done"},
    {NULL, NULL, "summaryFormat", ARGUMENT_TEXT, &given.summary_format, 0, 0,
     "default, JSON or CSV"},
    {NULL, NULL, "saveRankPerformanceDetailsCSV", ARGUMENT_TEXT, &given.csv, 0, 0,
     "file for a row a rank and pass"},
    {.value = NULL}};

static const struct tool tool = {
    .name = "ior", .synopsis = "ior [options]", .arguments = arguments};

static struct io_choice choose_io(void) {
  struct text api = {0};
  text_add(&api, "%s", given.api);
  if (given.direct) text_add(&api, " --posix.odirect");
  if (given.uring_direct) text_add(&api, " --iouring.odirect");
  if (given.depth) text_add(&api, " --iouring.depth=%" PRId64, given.depth);
  struct io_choice choice = api_parse(api.data, "ior");
  choice.collective = given.collective;
  if (choice.collective && choice.kind != IO_MPIIO)
    refuse("ior: -c needs -a MPIIO, not %s", given.api);
  free(api.data);
  return choice;
}

static enum ior_format choose_format(void) {
  if (!strcasecmp(given.summary_format, "default")) return IOR_TEXT;
  if (!strcasecmp(given.summary_format, "JSON")) return IOR_JSON;
  if (!strcasecmp(given.summary_format, "CSV")) return IOR_CSV;
  refuse("ior: -O summaryFormat = %s: there are default, JSON and CSV", given.summary_format);
}

static void check_given(void) {
  if (!given.transfer || !given.block || given.block % given.transfer)
    refuse("ior: block size -b %" PRIu64 " must be a multiple of transfer size -t %" PRIu64,
           given.block, given.transfer);
  if (given.transfer > INT32_MAX)
    refuse("ior: -t %" PRIu64 ": a transfer has less than 2 GiB", given.transfer);
  uint64_t ranks = (uint64_t)world.size;
  if ((uint64_t)given.segments > (uint64_t)INT64_MAX / given.block / ranks)
    refuse("ior: -b %" PRIu64 " -s %" PRId64 " for %d ranks is more than a file can hold",
           given.block, given.segments, world.size);
  if (given.unique && !given.file_per_process) refuse("ior: -u needs -F");
  if (given.random_offset > 1 && (given.check_write || (given.write && given.check_read)))
    refuse("ior: -z -z leaves parts of a file unwritten, so that -W and -w -R cannot compare it");
  if (given.random_offset > 1 && given.check_read && !given.file_per_process)
    refuse("ior: -z -z -R needs -F: in a shared file nobody knows who wrote what is read");
  if (given.random_offset > 1 && given.random_tasks && !given.file_per_process)
    refuse("ior: -z -z -Z needs -F");
}

static struct ior_session session_given(char *command) {
  bool any = given.write || given.read || given.check_write || given.check_read;
  struct ior_session session = {
      .write = given.write || given.check_write || !any,
      .read = given.read || given.check_read || !any,
      .check = given.check_write,
      .keep = given.keep,
      .task_order = given.task_order,
      .random_task_order = given.random_tasks,
      .task_offset = given.task_offset,
      .task_seed = given.task_seed,
      .reference = given.reference,
      .delay = given.delay,
      .format = choose_format(),
  };
  session.work = (struct ior_work){
      .command = command,
      .file = given.file,
      .random = given.random_offset > 1,
      .shuffle = given.random_offset == 1,
      .file_per_process = given.file_per_process,
      .unique_directories = given.unique,
      .io = choose_io(),
      .transfer = given.transfer,
      .block = given.block,
      .segments = (uint64_t)given.segments,
      .stonewall = (int)given.stonewall,
      .shift = given.task_order ? (int)given.task_offset : 0,
      .seed = (int32_t)given.seed,
      .count_file = given.status_file,
      .csv = given.csv,
      .no_barriers = !given.barriers,
      .no_sync = !given.fsync,
      .no_wear_out = !given.wear_out,
      .existing = given.existing,
      .most = (uint64_t)given.limit,
      .offset_seed = given.offset_seed < 0 ? given.seed : given.offset_seed,
      .repetitions = (int)given.repetitions,
      .verbosity = given.verbosity,
  };
  if (!packet_parse(given.packet, &session.work.packet))
    refuse("ior: --dataPacketType = %s: there are timestamp, offset, incompressible and random",
           given.packet);
  return session;
}

/* By how many ranks -Z shifts on this one: to a random rank, at least as far as -Q says; or to the
 * place of this rank in a shuffled list of all. */
static int random_shift(const struct ior_session *session, int iteration) {
  uint64_t key = (uint64_t)session->task_seed * 0x9e3779b97f4a7c15ULL + (uint64_t)iteration;
  uint64_t size = (uint64_t)world.size, rank = (uint64_t)world.rank;
  if (session->random_task_order > 1)
    return (int)((shuffled(rank, size, key) + size - rank) % size);
  uint64_t nearest = (uint64_t)given.task_offset * (uint64_t)world_node_stride() % size;
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

static uint64_t run_reported(struct ior_session *session, struct ior_work *work, int iteration,
                             uint64_t *least) {
  struct ior_record *record = &session->records[session->count];
  work->csv_goes_on = session->count > 0;
  *record =
      (struct ior_record){run_pass(session, work, iteration), iteration, work->write, work->verify};
  session->count++;
  if (world.rank == 0) ior_tell_pass(session, work, record);
  *least = record->result.least;
  return record->result.errors;
}

/* Writing, checking and reading once. Returns the transfers with wrong data. */
static uint64_t run_iteration(struct ior_session *session, int iteration) {
  struct ior_work work = session->work;
  uint64_t errors = 0, least = 0;
  if (session->write) {
    work.write = true;
    run_reported(session, &work, iteration, &least);
    work.write = false;
    /* Reading stops where the stonewall stopped the rank that wrote least. */
    if (work.stonewall && !work.count_file) work.most = least;
  }
  if (session->random_task_order) work.rank_shift = random_shift(session, iteration);
  if (session->check) {
    struct ior_work check = work;
    check.verify = true;
    check.stonewall = 0;
    check.csv = NULL;
    struct ior_result result = run_pass(session, &check, iteration);
    if (result.errors && world.rank == 0)
      fprintf(session->out == stdout ? stdout : stderr,
              "WARNING: Incorrect data on write (%" PRIu64 " errors found).\n", result.errors);
    errors += result.errors;
  }
  if (session->read) {
    work.verify = given.check_read;
    errors += run_reported(session, &work, iteration, &least);
  }
  if (session->write && !session->keep && !(errors && given.keep_with_error)) {
    double seconds = ior_remove_files(&work);
    if (world.rank == 0) ior_tell_removal(session, seconds, iteration);
  }
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
  if (ferror(session->out) || fflush(session->out))
    fail_call("write", unfinished ? unfinished : "stdout", -1, errno);
  if (!unfinished) return;
  if (fclose(session->out)) fail_call("write", unfinished, -1, errno);
  if (rename(unfinished, given.summary_file)) fail_call("rename", unfinished, -1, errno);
  printf("Writing output to %s\n", given.summary_file);
}

int tool_ior(int argc, char **argv) {
  if (!arguments_parse(&tool, argc, argv)) return 0;
  check_given();
  char *command = arguments_line(argc, argv, "");
  struct ior_session session = session_given(command);
  char *began = format_text("%s", ior_date()), *unfinished = NULL;
  session.began = began;
  session.records = need_memory(calloc(2 * (size_t)given.repetitions, sizeof *session.records));
  if (given.summary_file) unfinished = format_text("%s.unfinished", given.summary_file);
  fail_phase_is("ior");
  open_output(&session, unfinished);
  if (session.format != IOR_TEXT && !unfinished) dup2(STDERR_FILENO, STDOUT_FILENO);

  uint64_t errors = 0;
  if (world.rank == 0) ior_tell_head(&session);
  for (int i = 0; i < given.repetitions; i++) errors += run_iteration(&session, i);
  if (world.rank == 0) ior_tell_summary(&session);
  close_output(&session, unfinished);
  free(session.records);
  free(unfinished);
  free(began);
  free(command);
  return errors ? 1 : 0;
}
