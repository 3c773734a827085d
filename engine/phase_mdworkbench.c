/* The three phases of interactive metadata: their options, command lines and what makes them
 * invalid. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "common.h"
#include "files.h"
#include "hash.h"
#include "mdworkbench.h"
#include "options.h"
#include "phase_work.h"
#include "phases.h"
#include "result.h"

#define ITERATIONS 2          /* of the bench phase; the second counts */
#define STANDARD_ITERATIONS 3 /* what md-workbench assumes where it is not told */
#define FALLBACK_RATE 10.0    /* kIOPS, where mdtest-easy-write did not run */
#define LONGEST 60            /* s that the files of an iteration should last at that rate */

/* The rate that sizes the workload, kept in the results for a later --cleanup. */
static double sizing_rate(bool first) {
  char *path = format_text("%s/mdworkbench-size", run.results);
  struct phase *creates = phase_named("mdtest-easy-write");
  double rate = creates->done ? creates->score : 0;
  if (world.rank == 0 && !run.dry) {
    FILE *file = fopen(path, first ? "w" : "r");
    if (!file && first) fail_call("open", path, -1, errno);
    if (file && first && rate > 0) fwrite(&rate, sizeof rate, 1, file);
    if (file && !first && fread(&rate, sizeof rate, 1, file) != 1) rate = 0;
    if (file && first) close_file(file, path);
    if (file && !first) fclose(file);
  }
  free(path);
  MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, world.comm);
  if (rate > 0) return rate;
  if (first) {
    result_comment("WARNING MDWorkbench uses the MDTest rates to determine suitable options but "
                   "MDTest didn't run, will use a low (and sane) default instead");
  }
  return FALLBACK_RATE;
}

uint64_t mdworkbench_standard_files(bool first) {
  int seconds = run.stonewall < LONGEST ? run.stonewall : LONGEST;
  return (uint64_t)(sizing_rate(first) * seconds * 1000 / world.size) / MDWORKBENCH_SETS;
}

static char *command_of(const struct mdworkbench_work *work, const struct phase *phase) {
  struct text command = {0};
  text_add(&command, "./md-workbench --dataPacketType=%s", option_text("global", "dataPacketType"));
  for (int64_t i = option_number("mdworkbench", "verbosity", 0); i > 0; i--)
    text_add(&command, " -v");
  text_add(&command, " --process-reports -a %s -o=%s -t=%f -O=1 --run-info-file=%s -D=%d -G=%d",
           api_text(phase->group, phase->group), work->directory, work->waiting,
           work->position_file, MDWORKBENCH_SETS, work->seed);
  text_add(&command, " -P=%" PRIu64 " -I=%" PRIu64, work->precreated, work->files);
  text_add(&command, work->step == MDWORKBENCH_CREATE  ? " -1"
                     : work->step == MDWORKBENCH_BENCH ? " -2 -R=2 -X"
                                                       : " -3");
  return command.data;
}

static enum mdworkbench_step step_of(const char *phase) {
  const char *step = strrchr(phase, '-') + 1;
  return !strcmp(step, "create")  ? MDWORKBENCH_CREATE
         : !strcmp(step, "bench") ? MDWORKBENCH_BENCH
                                  : MDWORKBENCH_DELETE;
}

static void write_keys(struct phase *phase, const struct mdworkbench_work *work,
                       const struct mdworkbench_result *result) {
  result_pair("maxOpTime", "%f", result->max_time);
  if (work->step == MDWORKBENCH_BENCH) {
    result_pair("scoreIteration0", "%f", result->first_rate / 1000);
    result_pair("maxOpTime0", "%f", result->first_max_time);
  }
  if (result->errors)
    phase_invalid(phase, "%" PRIu64 " operations failed or found wrong data", result->errors);
}

double measure_mdworkbench(struct phase *phase) {
  enum mdworkbench_step step = step_of(phase->name);
  uint64_t standard = mdworkbench_standard_files(step == MDWORKBENCH_CREATE);
  struct mdworkbench_work work = {
      .directory = format_text("%s/mdworkbench", run.data),
      .step = step,
      .sets = MDWORKBENCH_SETS,
      .precreated = (uint64_t)option_number(phase->group, "precreatePerSet", (int64_t)standard),
      .files = (uint64_t)option_number(phase->group, "filesPerProc", (int64_t)standard),
      .iterations = step == MDWORKBENCH_BENCH ? ITERATIONS : STANDARD_ITERATIONS,
      .bytes = MDWORKBENCH_BYTES,
      .waiting = strtod(option_text(phase->group, "waitingTime"), NULL),
      .seed = signature("md-workbench", run.timestamp),
      .packet = run.packet,
      .position_file = format_text("%s/mdworkbench.status", run.results),
      .output = format_text("%s/%s.txt", run.results, phase->name),
  };
  char *command = command_of(&work, phase);
  work.command = command;
  result_pair("filesPerProc", "%" PRIu64, work.files);
  result_pair("precreatePerSet", "%" PRIu64, work.precreated);
  result_pair("exe", "%s", work.command);
  struct mdworkbench_result result = {0};
  if (!run.dry && !run.cleanup) {
    result = mdworkbench_run(&work);
    write_keys(phase, &work, &result);
  }
  if (run.cleanup) mdworkbench_remove_leftovers(work.directory, MDWORKBENCH_SETS);
  free(command);
  free((char *)work.directory);
  free((char *)work.position_file);
  free((char *)work.output);
  return result.rate / 1000;
}

void remove_mdworkbench_data(void) {
  char *directory = format_text("%s/mdworkbench", run.data);
  mdworkbench_remove_leftovers(directory, MDWORKBENCH_SETS);
  free(directory);
}
