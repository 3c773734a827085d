/* md-workbench on its own: its options and the sequence of its steps. */
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "mdworkbench.h"
#include "mdworkbench_report.h"
#include "tool_arguments.h"
#include "tool_paths.h"
#include "tools.h"

static const char usual_position[] = "md-workbench.status";

static struct {
  bool create, bench, delete, verify, ranks, read_only, wear_out;
  int verbosity;
  const char *api, *directory, *packet, *position;
  uint64_t bytes;
  int64_t files, precreated, sets, iterations, offset, seed, stonewall;
  double waiting;
} given = {.api = "POSIX",
           .directory = "./out",
           .packet = "timestamp",
           .position = usual_position,
           .bytes = 3901,
           .files = 1000,
           .precreated = 3000,
           .sets = 10,
           .iterations = 3,
           .offset = 1};

#define MOST 2000000000
static const struct argument arguments[] = {
    {"-1", "--run-precreate", NULL, ARGUMENT_FLAG, &given.create, 0, 0,
     "make the files (without -1, -2 and -3: all three)"},
    {"-2", "--run-benchmark", NULL, ARGUMENT_FLAG, &given.bench, 0, 0,
     "look at, read and remove the oldest, make a new one"},
    {"-3", "--run-cleanup", NULL, ARGUMENT_FLAG, &given.delete, 0, 0, "remove them"},
    {"-X", "--verify-read", NULL, ARGUMENT_FLAG, &given.verify, 0, 0, "compare what is read"},
    {"-W", "--stonewall-wear-out", NULL, ARGUMENT_FLAG, &given.wear_out, 0, 0,
     "after the stonewall each rank does as much as the fastest"},
    {"--read-only", NULL, NULL, ARGUMENT_FLAG, &given.read_only, 0, 0,
     "iterations only look and read, remove and make nothing"},
    {"--process-reports", NULL, NULL, ARGUMENT_FLAG, &given.ranks, 0, 0, "a line for each rank"},
    {"-v", "--verbose", NULL, ARGUMENT_COUNT, &given.verbosity, 0, 0,
     "accepted as in IO500's calls; there is no more to tell"},
    {"-a", "--api", NULL, ARGUMENT_TEXT, &given.api, 0, 0, "POSIX"},
    {"-D", "--data-sets", NULL, ARGUMENT_NUMBER, &given.sets, 1, MOST, "directories of a rank"},
    {"-P", "--precreate-per-set", NULL, ARGUMENT_NUMBER, &given.precreated, 0, MOST,
     "files of a directory"},
    {"-I", "--obj-per-proc", NULL, ARGUMENT_NUMBER, &given.files, 0, MOST,
     "files of a directory that an iteration goes through"},
    {"-R", "--iterations", NULL, ARGUMENT_NUMBER, &given.iterations, 1, 1000000, "iterations"},
    {"-S", "--object-size", NULL, ARGUMENT_SIZE, &given.bytes, 0, 0, "bytes of a file"},
    {"-t", "--waiting-time", NULL, ARGUMENT_REAL, &given.waiting, 0, 0,
     "rest after each operation, relative to its own time"},
    {"-O", "--offset", NULL, ARGUMENT_NUMBER, &given.offset, 1, MOST,
     "how many ranks writers and readers are apart"},
    {"-w", "--stonewall-timer", NULL, ARGUMENT_NUMBER, &given.stonewall, 0, MOST,
     "seconds after which an iteration stops (with -W); 0: when all is done"},
    {"-o", NULL, NULL, ARGUMENT_TEXT, &given.directory, 0, 0, "where to work"},
    {"-G", NULL, NULL, ARGUMENT_NUMBER, &given.seed, INT32_MIN, INT32_MAX, "seed of the data"},
    {"-l", "--dataPacketType", NULL, ARGUMENT_TEXT, &given.packet, 0, 0,
     "timestamp, offset, incompressible or random"},
    {"--run-info-file", NULL, NULL, ARGUMENT_TEXT, &given.position, 0, 0,
     "keeps where the files begin, for a later call; one that makes and removes them needs none"},
    {.value = NULL}};

static const struct tool tool = {
    .name = "md-workbench", .synopsis = "mdworkbench [options]", .arguments = arguments};

static struct mdworkbench_work work_given(void) {
  if (strcasecmp(given.api, "POSIX"))
    refuse("md-workbench: -a %s is not supported; there is POSIX", given.api);
  if (given.files > given.precreated)
    refuse("md-workbench: -I %" PRId64 " is more than the -P %" PRId64
           " files that a directory has",
           given.files, given.precreated);
  if (given.stonewall && !given.wear_out)
    refuse("md-workbench: -w needs -W: without it the ranks would go on at different files");
  if (given.bytes > INT32_MAX)
    refuse("md-workbench: -S %" PRIu64 ": a file has less than 2 GiB", given.bytes);
  struct mdworkbench_work work = {
      .directory = given.directory,
      .sets = (uint64_t)given.sets,
      .precreated = (uint64_t)given.precreated,
      .files = (uint64_t)given.files,
      .iterations = (int)given.iterations,
      .bytes = given.bytes,
      .waiting = given.waiting,
      .seed = (int32_t)given.seed,
      .position_file = given.position,
      .all_ranks_as_one = !given.ranks,
      .in_sequence = true,
      .unverified = !given.verify,
      .read_only = given.read_only,
      .rank_offset = (int)given.offset,
      .stonewall = (double)given.stonewall,
  };
  if (!packet_parse(given.packet, &work.packet))
    refuse("md-workbench: --dataPacketType = %s: there are timestamp, offset, incompressible and "
           "random",
           given.packet);
  return work;
}

static void choose_steps(void) {
  if (!given.create && !given.bench && !given.delete)
    given.create = given.bench = given.delete = true;
  /* No further call goes on with files that this one makes and removes. */
  if (given.create && given.delete && given.position == usual_position) given.position = NULL;
}

/* Without the file that says where the sets begin, files would be looked for under wrong names. */
static void check_position(void) {
  int there = 1;
  if (world.rank == 0) there = !access(given.position, R_OK);
  MPI_Bcast(&there, 1, MPI_INT, 0, world.comm);
  if (!there)
    refuse("md-workbench: %s, which an earlier -1 wrote, is not there; --run-info-file names it",
           given.position);
}

int tool_mdworkbench(int argc, char **argv) {
  static const struct {
    enum mdworkbench_step step;
    const bool *wanted;
    const char *phase;
  } steps[] = {{MDWORKBENCH_CREATE, &given.create, "md-workbench precreate"},
               {MDWORKBENCH_BENCH, &given.bench, "md-workbench benchmark"},
               {MDWORKBENCH_DELETE, &given.delete, "md-workbench cleanup"}};
  if (!arguments_parse(&tool, argc, argv)) return 0;
  choose_steps();
  struct mdworkbench_work work = work_given();
  if (!given.create) check_position();
  if (given.create || given.bench)
    path_for_output("md-workbench", "--run-info-file", given.position);
  work.directory_stays = given.create && !access(given.directory, F_OK);
  char *command = arguments_line(argc, argv, "");
  work.command = command;
  double start = now();
  uint64_t errors = 0;
  if (world.rank == 0) mdworkbench_print_head(stdout, &work);
  for (int i = 0; i < 3; i++) {
    if (!*steps[i].wanted) continue;
    fail_phase_is(steps[i].phase);
    work.step = steps[i].step;
    struct mdworkbench_result result = mdworkbench_run(&work);
    work.position = result.position;
    errors += result.errors;
    arguments_record_end(steps[i].phase);
  }
  if (world.rank == 0) mdworkbench_print_end(stdout, now() - start);
  free(command);
  return errors ? 1 : 0;
}
