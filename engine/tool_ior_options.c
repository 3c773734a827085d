/* ior's options, and what they ask for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api.h"
#include "common.h"
#include "tool_arguments.h"
#include "tool_ior.h"
#include "tool_memory.h"
#include "tool_paths.h"

static struct {
  bool collective, task_order, fsync, existing, file_per_process, barriers, keep, keep_with_error;
  bool read, check_read, unique, write, check_write, direct, uring_direct, multi_file, sync_each;
  int random_offset, random_tasks, verbosity;
  const char *api, *packet, *file, *status_file, *summary_file, *summary_format, *csv, *operations,
      *memory;
  uint64_t block, transfer, prefill;
  int64_t reference, delay, stonewall, wear_out, limit, seed, repetitions, task_offset, segments,
      task_seed, offset_seed, depth, tasks, minutes;
} given = {.api = "POSIX",
           .packet = "timestamp",
           .file = "testFile",
           .summary_format = "default",
           .block = 1 << 20,
           .transfer = 1 << 18,
           .repetitions = 1,
           .task_offset = 1,
           .segments = 1,
           .offset_seed = -1,
           .tasks = -1};

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
     "keep the files; without it a call that does not break off removes what it wrote"},
    {"-K", NULL, "keepFileWithError", ARGUMENT_FLAG, &given.keep_with_error, 0, 0,
     "keep files with wrong data"},
    {"-m", NULL, "multiFile", ARGUMENT_FLAG, &given.multi_file, 0, 0,
     "a file of its own, named <file>.<iteration>, for each iteration"},
    {"-r", NULL, "readFile", ARGUMENT_FLAG, &given.read, 0, 0, "read"},
    {"-R", NULL, "checkRead", ARGUMENT_FLAG, &given.check_read, 0, 0,
     "read and compare every byte, inside the time"},
    {"-u", NULL, "uniqueDir", ARGUMENT_FLAG, &given.unique, 0, 0, "a directory a rank (with -F)"},
    {"-v", NULL, "verbose", ARGUMENT_COUNT, &given.verbosity, 0, 0, "tell more"},
    {"-w", NULL, "writeFile", ARGUMENT_FLAG, &given.write, 0, 0, "write"},
    {"-W", NULL, "checkWrite", ARGUMENT_FLAG, &given.check_write, 0, 0,
     "write, then read and compare every byte, outside the time"},
    {"-Y", NULL, "fsyncPerWrite", ARGUMENT_FLAG, &given.sync_each, 0, 0,
     "fsync after every transfer that is written"},
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
    {"-M", NULL, "memoryPerNode", ARGUMENT_TEXT, &given.memory, 0, 0,
     "memory of each node to occupy meanwhile, past the page cache: 2g, 75%"},
    {"-N", NULL, "numTasks", ARGUMENT_NUMBER, &given.tasks, -1, MOST,
     "only the first so many ranks; -1: all"},
    {"-o", NULL, "testFile", ARGUMENT_TEXT, &given.file, 0, 0, "the file; with -F its beginning"},
    {"-Q", NULL, "taskPerNodeOffset", ARGUMENT_NUMBER, &given.task_offset, 0, MOST,
     "by how many nodes -C shifts, and -Z at least"},
    {"-s", NULL, "segmentCount", ARGUMENT_NUMBER, &given.segments, 1, 0, "blocks of a rank"},
    {"-t", NULL, "transferSize", ARGUMENT_SIZE, &given.transfer, 0, 0, "bytes of a transfer"},
    {"-T", NULL, "maxTimeDuration", ARGUMENT_NUMBER, &given.minutes, 0, MOST,
     "minutes after which no further iteration begins; 0: none is left out"},
    {"-X", NULL, "reorderTasksRandomSeed", ARGUMENT_NUMBER, &given.task_seed, 0, MOST,
     "seed of -Z"},
    {"--randomPrefill", NULL, NULL, ARGUMENT_SIZE, &given.prefill, 0, 0,
     "with one -z: write each block first in transfers of this size; 0: do not"},
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
    {NULL, NULL, "summaryFile", ARGUMENT_OUTPUT, &given.summary_file, 0, 0,
     "file for the results; it appears when all is done"},
    {NULL, NULL, "summaryFormat", ARGUMENT_TEXT, &given.summary_format, 0, 0,
     "default, JSON or CSV"},
    {NULL, NULL, "saveRankPerformanceDetailsCSV", ARGUMENT_OUTPUT, &given.csv, 0, 0,
     "file for a row a rank and pass"},
    {NULL, NULL, "savePerOpDataCSV", ARGUMENT_TEXT, &given.operations, 0, 0,
     "beginning of the names of files for a row a transfer: <it>-write-<iteration>-<rank>.csv"},
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
  if (given.sync_each && choice.kind == IO_MPIIO) refuse("ior: -Y with -a MPIIO is not supported");
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
  if (given.tasks == 0 || given.tasks > world.size)
    refuse("ior: -N %" PRId64 ": this call has %d ranks", given.tasks, world.size);
  uint64_t ranks = (uint64_t)(given.tasks > 0 ? given.tasks : world.size);
  if ((uint64_t)given.segments > (uint64_t)INT64_MAX / given.block / ranks)
    refuse("ior: -b %" PRIu64 " -s %" PRId64 " for %d ranks is more than a file can hold",
           given.block, given.segments, world.size);
  if (given.prefill && (given.random_offset != 1 || given.block % given.prefill))
    refuse("ior: --randomPrefill needs one -z, and -b to be a multiple of it");
  if (given.prefill > INT32_MAX)
    refuse("ior: --randomPrefill %" PRIu64 ": a transfer has less than 2 GiB", given.prefill);
  memory_amount(given.memory, "ior");
  if (given.unique && !given.file_per_process) refuse("ior: -u needs -F");
  if (given.random_offset > 1 && (given.check_write || (given.write && given.check_read)))
    refuse("ior: -z -z leaves parts of a file unwritten, so that -W and -w -R cannot compare it");
  if (given.random_offset > 1 && given.check_read && !given.file_per_process)
    refuse("ior: -z -z -R needs -F: in a shared file nobody knows who wrote what is read");
  if (given.random_offset > 1 && given.random_tasks && !given.file_per_process)
    refuse("ior: -z -z -Z needs -F");
}

/* A directory of a rank stands beside its file's name: that needs a directory to be in. */
static const char *file_given(void) {
  bool bare = given.unique && !strchr(given.file, '/');
  return bare ? format_text("./%s", given.file) : given.file;
}

/* Results that could not be written, or would be written over the data. */
static void check_paths(void) {
  bool numbered = given.file_per_process || given.multi_file;
  const char *status_file = given.write ? given.status_file : NULL;
  if (!numbered) path_of_file("ior", "-o", given.file);
  path_for_output("ior", "-O stoneWallingStatusFile", status_file);
  path_apart("ior", "-O stoneWallingStatusFile", status_file, given.file, numbered);
  path_apart("ior", "-O summaryFile", given.summary_file, given.file, numbered);
  path_apart("ior", "-O saveRankPerformanceDetailsCSV", given.csv, given.file, numbered);
  if (!given.operations) return;
  char *first = format_text("%s-write-0-00000.csv", given.operations);
  path_for_output("ior", "-O savePerOpDataCSV", first);
  free(first);
}

/* Each way of comparing needs its pass, and without any word both passes are meant. */
static void choose_passes(void) {
  given.write |= given.check_write;
  given.read |= given.check_read;
  if (!given.write && !given.read) given.write = given.read = true;
}

bool ior_arguments(int argc, char **argv) {
  if (!arguments_parse(&tool, argc, argv)) return false;
  check_given();
  choose_passes();
  check_paths();
  return true;
}

struct ior_session ior_session_given(const char *command) {
  struct ior_session session = {
      .write = given.write,
      .read = given.read,
      .check = given.check_write,
      .keep = given.keep,
      .task_order = given.task_order,
      .task_offset = given.task_offset,
      .reference = given.reference,
      .delay = given.delay,
      .format = choose_format(),
      .check_read = given.check_read,
      .keep_with_error = given.keep_with_error,
      .multi_file = given.multi_file,
      .minutes = given.minutes,
      .tasks = (int)given.tasks,
      .memory = given.memory,
      .summary_file = given.summary_file,
  };
  session.work = (struct ior_work){
      .command = command,
      .file = file_given(),
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
      .sync_each = given.sync_each,
      .prefill = given.prefill,
      .operations = given.operations,
      .existing = given.existing,
      .most = (uint64_t)given.limit,
      .offset_seed = given.offset_seed < 0 ? given.seed : given.offset_seed,
      .repetitions = (int)given.repetitions,
      .verbosity = given.verbosity,
      .random_tasks = given.random_tasks,
      .task_seed = given.task_seed,
  };
  if (!packet_parse(given.packet, &session.work.packet))
    refuse("ior: --dataPacketType = %s: there are timestamp, offset, incompressible and random",
           given.packet);
  return session;
}
