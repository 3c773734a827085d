/* The seven metadata phases: their options, command lines and what makes them invalid. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "common.h"
#include "hash.h"
#include "mdtest.h"
#include "options.h"
#include "phases.h"
#include "result.h"

#define HARD_BYTES 3901

void check_mdtest(void) {
  for (struct phase *phase = phases; phase->name; phase++)
    if (phase->group && !strncmp(phase->group, "md", 2) && phase_enabled(phase) &&
        api_choice(phase->name, phase->group).kind != IO_POSIX)
      refuse("API = %s for %s: the metadata phases have POSIX only; set it in [%s]",
             api_text(phase->name, phase->group), phase->name, phase->group);
  if (option_number("mdtest-hard", "files-per-dir", 1) < 1)
    refuse("[mdtest-hard] files-per-dir = %s: expected 1 or more",
           option_text("mdtest-hard", "files-per-dir"));
}

/* Files of a rank in a directory; 0: all in one. */
static uint64_t files_per_directory(const char *group) {
  return strcmp(group, "mdtest-hard") ? 0 : (uint64_t)option_number(group, "files-per-dir", 0);
}

static enum mdtest_operation operation_of(const char *phase) {
  const char *operation = strrchr(phase, '-') + 1;
  if (!strcmp(operation, "write")) return MDTEST_CREATE;
  if (!strcmp(operation, "stat")) return MDTEST_STAT;
  if (!strcmp(operation, "read")) return MDTEST_READ;
  return MDTEST_REMOVE;
}

static struct mdtest_work work_of(const char *name, const char *group) {
  bool easy = !strcmp(group, "mdtest-easy");
  enum mdtest_operation operation = operation_of(name);
  uint64_t files = (uint64_t)option_number(group, "n", 0), a_directory = files_per_directory(group);
  return (struct mdtest_work){
      .directory = format_text("%s/%s", run.data, group),
      .operation = operation,
      .own_directories = easy,
      .direct = api_choice(name, group).direct,
      .files = files,
      .tree = {.items = a_directory,
               .trees = a_directory ? files / a_directory + (files % a_directory != 0) : 0},
      .bytes = easy ? 0 : HARD_BYTES,
      .stonewall = operation == MDTEST_CREATE && !a_directory ? run.stonewall : 0,
      .seed = signature(group, run.timestamp),
      .packet = run.packet,
      .count_file = format_text("%s/%s.stonewall", run.results, group),
      .output = format_text("%s/%s.txt", run.results, name),
      .csv = format_text("%s/%s.csv", run.results, name),
  };
}

static void work_free(struct mdtest_work *work) {
  free((char *)work->command);
  free((char *)work->directory);
  free((char *)work->count_file);
  free((char *)work->output);
  free((char *)work->csv);
}

static char *command_of(const struct mdtest_work *work, const struct phase *phase) {
  struct text command = {0};
  text_add(&command, "./mdtest --dataPacketType=%s -n %" PRIu64,
           option_text("global", "dataPacketType"), work->files);
  if (work->tree.items) text_add(&command, " -I=%" PRIu64, work->tree.items);
  if (work->own_directories)
    text_add(&command, " -u -L -F -P -G %d -N 1", work->seed);
  else
    text_add(&command, " -t -w %d -e %d -P -G=%d -N 1 -F", HARD_BYTES, HARD_BYTES, work->seed);
  text_add(&command, " -d %s -x %s", work->directory, work->count_file);
  if (work->operation == MDTEST_CREATE) text_add(&command, " -C -Y");
  if (work->operation == MDTEST_CREATE && !work->tree.items)
    text_add(&command, " -W %d", run.stonewall);
  if (work->operation == MDTEST_STAT) text_add(&command, " -T");
  if (work->operation == MDTEST_READ) text_add(&command, " -E -X");
  if (work->operation == MDTEST_REMOVE) text_add(&command, " -r");
  text_add(&command, " --saveRankPerformanceDetails=%s -a %s", work->csv,
           api_text(phase->name, phase->group));
  return command.data;
}

double measure_mdtest(struct phase *phase) {
  struct mdtest_work work = work_of(phase->name, phase->group);
  struct mdtest_result result = {0};
  work.command = command_of(&work, phase);
  work.remove_whatever = run.cleanup;
  if (work.tree.items) { /* without a stonewall nothing is counted, and the names are known by n */
    free((char *)work.count_file);
    work.count_file = NULL;
    if (work.operation == MDTEST_CREATE)
      result_comment("WARNING stonewalling disabled in order to support -I option. Make sure your "
                     "number of elements is big enough to meet the runtime limits!");
  }
  result_pair("exe", "%s", work.command);
  if (!run.dry) {
    if (run.verbosity > 1) result_pair("result-file", "%s", work.output);
    result = mdtest_run(&work);
    if (run.verbosity > 1) result_pair("time", "%f", result.time);
    if (result.stonewall_time > 0)
      result_pair("rate-stonewall", "%f",
                  (double)result.stonewall_items / result.stonewall_time / 1000);
    if (result.leftovers)
      phase_invalid(phase, "Files of an earlier run were there, which were opened, not created");
    if (result.errors)
      phase_invalid(phase, "%" PRIu64 " operations failed or found wrong data", result.errors);
  }
  work_free(&work);
  return result.rate / 1000;
}

/* What the delete phases would have removed, had they run. */
void remove_mdtest_data(void) {
  static const char *const groups[] = {"mdtest-easy", "mdtest-hard"};
  for (int i = 0; i < 2; i++) {
    char *directory = format_text("%s/%s", run.data, groups[i]);
    mdtest_remove_leftovers(directory, i == 0);
    free(directory);
  }
}
