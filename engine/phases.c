#include "phases.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "options.h"
#include "record.h"
#include "result.h"

struct run run;

struct phase phases[] = {
    {"ior-easy-write", "ior-easy", PHASE_WRITE, SCORE_BANDWIDTH, false, measure_ior_easy_write, 0,
     0, false, false},
    {"mdtest-easy-write", "mdtest-easy", PHASE_WRITE, SCORE_METADATA, false, measure_mdtest, 0, 0,
     false, false},
    {"mdworkbench-create", "mdworkbench", PHASE_READ, SCORE_NONE, true, measure_mdworkbench, 0, 0,
     false, false},
    {"timestamp", NULL, PHASE_MARK, SCORE_NONE, false, measure_timestamp, 0, 0, false, false},
    {"find-easy", NULL, PHASE_READ, SCORE_METADATA_EXTENDED, true, measure_find, 0, 0, false,
     false},
    {"ior-hard-write", "ior-hard", PHASE_WRITE, SCORE_BANDWIDTH, false, measure_ior_hard_write, 0,
     0, false, false},
    {"mdtest-hard-write", "mdtest-hard", PHASE_WRITE, SCORE_METADATA, false, measure_mdtest, 0, 0,
     false, false},
    {"find", NULL, PHASE_READ, SCORE_METADATA, false, measure_find, 0, 0, false, false},
    {"find-hard", NULL, PHASE_READ, SCORE_METADATA_EXTENDED, true, measure_find, 0, 0, false,
     false},
    {"mdworkbench-bench", "mdworkbench", PHASE_READ, SCORE_METADATA_EXTENDED, true,
     measure_mdworkbench, 0, 0, false, false},
    {"ior-easy-read", "ior-easy", PHASE_READ, SCORE_BANDWIDTH, false, measure_ior_easy_read, 0, 0,
     false, false},
    {"mdtest-easy-stat", "mdtest-easy", PHASE_READ, SCORE_METADATA, false, measure_mdtest, 0, 0,
     false, false},
    {"ior-hard-read", "ior-hard", PHASE_READ, SCORE_BANDWIDTH, false, measure_ior_hard_read, 0, 0,
     false, false},
    {"mdtest-hard-stat", "mdtest-hard", PHASE_READ, SCORE_METADATA, false, measure_mdtest, 0, 0,
     false, false},
    {"mdworkbench-delete", "mdworkbench", PHASE_REMOVE, SCORE_NONE, true, measure_mdworkbench, 0, 0,
     false, false},
    {"mdtest-easy-delete", "mdtest-easy", PHASE_REMOVE, SCORE_METADATA, false, measure_mdtest, 0, 0,
     false, false},
    {"mdtest-hard-read", "mdtest-hard", PHASE_READ, SCORE_METADATA, false, measure_mdtest, 0, 0,
     false, false},
    {"mdtest-hard-delete", "mdtest-hard", PHASE_REMOVE, SCORE_METADATA, false, measure_mdtest, 0, 0,
     false, false},
    {"ior-rnd4K-easy-read", "ior-easy", PHASE_READ, SCORE_NONE, false, measure_ior_easy_random, 0,
     0, false, false},
    {NULL, NULL, PHASE_MARK, SCORE_NONE, false, NULL, 0, 0, false, false}};

struct phase *phase_named(const char *name) {
  for (struct phase *phase = phases; phase->name; phase++)
    if (!strcmp(phase->name, name)) return phase;
  fail("no phase %s", name);
}

bool phase_enabled(const struct phase *phase) {
  if (phase->extended && !run.extended) return false;
  if (run.cleanup && phase->kind != PHASE_REMOVE) return false;
  if (phase->kind == PHASE_MARK) return true;
  if (phase->group && !option_true(phase->group, "run")) return false;
  return option_true(phase->name, "run");
}

static const char *phase_unit(const struct phase *phase) {
  return phase->name[0] == 'i' ? "GiB/s" : "kIOPS";
}

void phase_invalid(struct phase *phase, const char *format, ...) {
  char reason[HDB_PATH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  phase->invalid = true;
  result_invalid(phase->name, "%s", reason);
}

void phases_check(void) {
  if (run.stonewall < 0) refuse("[debug] stonewall-time = %d: expected 0 or more", run.stonewall);
  if (option_true("global", "io-buffers-on-gpu"))
    refuse("[global] io-buffers-on-gpu = TRUE: the embedded engine has no GPU buffers; "
           "set it to FALSE or use upstream's io500");
  if (option_number("mdtest-hard", "files-per-dir", -1) >= 0)
    refuse("[mdtest-hard] files-per-dir: not supported by this version of the embedded engine; "
           "remove it or use upstream's io500");
  check_ior();
  check_mdtest();
  check_find();
}

double measure_timestamp(struct phase *phase) {
  (void)phase;
  if (world.rank == 0) {
    char *path = format_text("%s/timestampfile", run.results);
    if (fclose(create_file(path))) fail_call("write", path, -1, errno);
    if (run.verbosity > 1) result_pair("timestamp-file", "%s", path);
    free(path);
  }
  return 0;
}

static void run_command(const char *command) {
  fflush(stdout);
  int status = system(command);
  if (status) printf("WARNING: rank %d: \"%s\" returned %d\n", world.rank, command, status);
}

static void drop_caches(const struct phase *phase) {
  if (!option_true("global", "drop-caches") || phase->kind == PHASE_MARK) return;
  if (world.rank == 0) run_command("LANG=C free -m");
  run_command(option_text("global", "drop-caches-cmd"));
  MPI_Barrier(world.comm);
  if (world.rank == 0) run_command("LANG=C free -m");
}

static void wait_while_paused(const struct phase *phase) {
  const char *directory = option_text("debug", "pause-dir");
  if (!directory) return;
  if (world.rank == 0) {
    char *path = format_text("%s/%s", directory, phase->name);
    result_date("t_pause");
    result_comment("Checking for pause file %s", path);
    while (!access(path, F_OK)) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    free(path);
  }
  MPI_Barrier(world.comm);
}

/* What makes a phase invalid whatever it measured. */
static void judge(struct phase *phase) {
  bool too_short = phase->kind == PHASE_WRITE && !run.dry && phase->time < run.stonewall;
  if (too_short)
    phase_invalid(phase, "Runtime of phase (%f) is below stonewall time. This shouldn't happen!",
                  phase->time);
  if (!too_short && !run.dry && !run.cleanup && phase->kind != PHASE_MARK && phase->score == 0)
    phase_invalid(phase, "Resulting score shouldn't be 0.0");
  if (phase->kind == PHASE_WRITE && phase->time < run.rule_stonewall)
    phase_invalid(phase, "Runtime is smaller than expected minimum runtime");
}

static void tell_latency(const char *operation, const double seconds[RECORD_SHARES]) {
  char *key = format_text("latency-%s", operation);
  result_pair(key, "p50 %.9f p95 %.9f p99 %.9f p99.9 %.9f max %.9f", seconds[0], seconds[1],
              seconds[2], seconds[3], seconds[4]);
  free(key);
}

static void run_phase(struct phase *phase) {
  fail_phase_is(phase->name);
  drop_caches(phase);
  result_section(phase->name);
  wait_while_paused(phase);
  if (run.verbosity > 0) result_date("t_start");
  MPI_Barrier(world.comm);
  double start = now();
  phase->score = phase->measure(phase);
  phase->time = now() - start;
  phase->done = true;
  record_end(run.results, phase->name, tell_latency);
  judge(phase);
  if (phase->kind != PHASE_MARK) result_pair("score", "%f", phase->score);
  if (run.verbosity > 0) {
    result_pair("t_delta", "%.4f", phase->time);
    result_date("t_end");
  }
  summary_line("%s %20s %15f %s : time %.3f seconds%s",
               phase->counts_to == SCORE_NONE ? "[      ]" : "[RESULT]", phase->name, phase->score,
               phase_unit(phase), phase->time, phase->invalid ? " [INVALID]" : "");
}

void phases_run(void) {
  for (struct phase *phase = phases; phase->name; phase++)
    if (phase_enabled(phase)) run_phase(phase);
  fail_phase_is("clean-up");
}
