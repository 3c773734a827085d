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

#define PHASE(name, group, kind, score, list, measure) \
  {name, group, PHASE_##kind, SCORE_##score, LIST_##list, measure, 0, 0, false, false}
/* Which phases there are, in the order of a run, and what each counts to: all of it is here. */
struct phase phases[] = {
    PHASE("ior-easy-write", "ior-easy", WRITE, BANDWIDTH, STANDARD, measure_ior_easy_write),
    PHASE("ior-rnd4K-write", "ior-rnd4K", WRITE, BANDWIDTH_EXTENDED, EXTENDED_2021,
          measure_ior_dealt),
    PHASE("mdtest-easy-write", "mdtest-easy", WRITE, METADATA, STANDARD, measure_mdtest),
    PHASE("ior-rnd1MB-write", "ior-rnd1MB", WRITE, BANDWIDTH_EXTENDED, EXTENDED_2021,
          measure_ior_dealt),
    PHASE("mdworkbench-create", "mdworkbench", READ, NONE, EXTENDED, measure_mdworkbench),
    PHASE("timestamp", NULL, MARK, NONE, STANDARD, measure_timestamp),
    PHASE("find-easy", NULL, READ, METADATA_EXTENDED, EXTENDED, measure_find),
    PHASE("ior-hard-write", "ior-hard", WRITE, BANDWIDTH, STANDARD, measure_ior_hard_write),
    PHASE("mdtest-hard-write", "mdtest-hard", WRITE, METADATA, STANDARD, measure_mdtest),
    PHASE("find", NULL, READ, METADATA, STANDARD, measure_find),
    PHASE("ior-rnd4K-read", "ior-rnd4K", READ, BANDWIDTH_EXTENDED, EXTENDED_2021,
          measure_ior_dealt),
    PHASE("ior-rnd1MB-read", "ior-rnd1MB", READ, BANDWIDTH_EXTENDED, EXTENDED_2021,
          measure_ior_dealt),
    PHASE("find-hard", NULL, READ, METADATA_EXTENDED, EXTENDED, measure_find),
    PHASE("mdworkbench-bench", "mdworkbench", READ, METADATA_EXTENDED, EXTENDED,
          measure_mdworkbench),
    PHASE("concurrent", "concurrent", READ, CONCURRENT, EXTENDED_2021, measure_concurrent),
    PHASE("ior-easy-read", "ior-easy", READ, BANDWIDTH, STANDARD, measure_ior_easy_read),
    PHASE("mdtest-easy-stat", "mdtest-easy", READ, METADATA, STANDARD, measure_mdtest),
    PHASE("ior-hard-read", "ior-hard", READ, BANDWIDTH, STANDARD, measure_ior_hard_read),
    PHASE("mdtest-hard-stat", "mdtest-hard", READ, METADATA, STANDARD, measure_mdtest),
    PHASE("mdworkbench-delete", "mdworkbench", REMOVE, NONE, EXTENDED, measure_mdworkbench),
    PHASE("mdtest-easy-delete", "mdtest-easy", REMOVE, METADATA, STANDARD, measure_mdtest),
    PHASE("mdtest-hard-read", "mdtest-hard", READ, METADATA, STANDARD, measure_mdtest),
    PHASE("mdtest-hard-delete", "mdtest-hard", REMOVE, METADATA, STANDARD, measure_mdtest),
    PHASE("ior-rnd4K-easy-read", "ior-easy", READ, NONE, TODAY, measure_ior_easy_random),
    PHASE(NULL, NULL, MARK, NONE, STANDARD, NULL)};

struct phase *phase_named(const char *name) {
  for (struct phase *phase = phases; phase->name; phase++)
    if (!strcmp(phase->name, name)) return phase;
  fail("no phase %s", name);
}

bool phase_listed(const struct phase *phase) {
  switch (phase->list) {
    case LIST_STANDARD: return true;
    case LIST_EXTENDED: return run.extended;
    case LIST_EXTENDED_2021: return run.extended && option_true(phase->group, "run");
    default: return !options_2021();
  }
}

bool phase_enabled(const struct phase *phase) {
  if (!phase_listed(phase)) return false;
  if (run.cleanup && phase->kind != PHASE_REMOVE) return false;
  if (phase->kind == PHASE_MARK) return true;
  if (phase->group && !option_true(phase->group, "run")) return false;
  return option_true(phase->name, "run");
}

static const char *phase_unit(const struct phase *phase) {
  if (phase->counts_to == SCORE_CONCURRENT) return "score"; /* a mean over both units */
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

static const struct phase *writer_of(const struct phase *phase) {
  for (const struct phase *other = phases; other->name; other++)
    if (other->kind == PHASE_WRITE && phase->group && !strcmp(other->group, phase->group))
      return other;
  return NULL;
}

/* Whether a phase goes by what the write phase of its group counted. */
static bool goes_by_count(const struct phase *phase) {
  if (phase->kind != PHASE_READ && phase->kind != PHASE_REMOVE) return false;
  if (!strcmp(phase->group ? phase->group : "", "mdtest-hard"))
    return !option_text("mdtest-hard", "files-per-dir");
  return phase->measure != measure_ior_easy_random;
}

/* What an earlier run in the same results counted serves as well. */
static void check_count(const struct phase *phase) {
  const struct phase *writer = goes_by_count(phase) ? writer_of(phase) : NULL;
  if (!writer || phase_enabled(writer)) return;
  char *path = format_text("%s/%s.stonewall", run.results, phase->group);
  int missing = world.rank == 0 && access(path, F_OK);
  MPI_Bcast(&missing, 1, MPI_INT, 0, world.comm);
  if (missing)
    refuse("%s goes by what %s counts, which does not run, and there is no %s of an earlier run: "
           "set [%s] run = FALSE, which leaves out both",
           phase->name, writer->name, path, phase->group);
  free(path);
}

void phases_check(void) {
  if (run.stonewall < 0) refuse("[debug] stonewall-time = %d: expected 0 or more", run.stonewall);
  if (option_true("global", "io-buffers-on-gpu"))
    refuse("[global] io-buffers-on-gpu = TRUE: the embedded engine has no GPU buffers; "
           "set it to FALSE or use upstream's io500");
  check_ior();
  check_dealt();
  check_mdtest();
  check_find();
  check_concurrent();
  for (const struct phase *phase = phases; phase->name && !run.dry && !run.cleanup; phase++)
    if (phase_enabled(phase)) check_count(phase);
}

double measure_timestamp(struct phase *phase) {
  (void)phase;
  if (world.rank == 0) {
    char *path = format_text("%s/timestampfile", run.results);
    close_file(create_file(path), path);
    if (run.verbosity > 1) result_pair("timestamp-file", "%s", path);
    free(path);
  }
  return 0;
}

/* Returns its status, as wait(2) gives it. */
static int run_command(const char *command) {
  fflush(stdout);
  int status = system(command);
  if (status) printf("WARNING: rank %d: \"%s\" returned %d\n", world.rank, command, status);
  return status;
}

static void drop_caches(const struct phase *phase) {
  if (!option_true("global", "drop-caches") || phase->kind == PHASE_MARK) return;
  if (world.rank == 0) run_command("LANG=C free -m");
  const char *command = option_text("global", "drop-caches-cmd");
  int own = run_command(command), any;
  MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, world.comm);
  if (any) result_comment("WARNING Calling \"%s\" returned %d", command, any);
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
  record_end(run.results, phase->name, result_latency);
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
