/* The find phases: their options, command lines and what makes them invalid. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "find.h"
#include "find_script.h"
#include "options.h"
#include "phases.h"
#include "result.h"

#define HARD_BYTES 3901

static void check_phase(const char *name) {
  if (run.cleanup) return;
  int64_t ranks = option_number(name, "nproc", world.size);
  if (ranks < 1 || ranks > world.size)
    refuse("[%s] nproc = %" PRId64 ": this run has %d ranks", name, ranks, world.size);
  if (option_int(name, "pfind-queue-length", 0) < 1)
    refuse("[%s] pfind-queue-length = %s: expected 1 or more", name,
           option_text(name, "pfind-queue-length"));
  const char *script = option_text(name, "external-script");
  if (!script) return;
  /* Rank 0 runs it, so its word counts for all. */
  int error = world.rank == 0 && access(script, X_OK) ? errno : 0;
  MPI_Bcast(&error, 1, MPI_INT, 0, world.comm);
  if (error)
    refuse("[%s] external-script = %s: cannot be executed: %s", name, script, strerror(error));
}

void check_find(void) {
  check_phase("find");
  if (!run.extended) return;
  check_phase("find-easy");
  check_phase("find-hard");
}

static bool ignores_arguments(const char *name) {
  return !option_text(name, "external-script") &&
         (*option_text(name, "external-mpi-args") || *option_text(name, "external-extra-args"));
}

bool find_ignores_arguments(void) {
  return ignores_arguments("find") ||
         (run.extended && (ignores_arguments("find-easy") || ignores_arguments("find-hard")));
}

/* find walks all of the data; find-easy and find-hard one directory of it each. */
static char *directory_of(const struct phase *phase) {
  const char *part = strchr(phase->name, '-');
  return part ? format_text("%s/mdtest%s/", run.data, part) : format_text("%s", run.data);
}

static void write_command(const struct find_work *work) {
  struct text command = {0};
  text_add(&command, "./pfind %s", work->directory);
  if (work->newer_than) text_add(&command, " -newer %s -size %dc", work->newer_than, HARD_BYTES);
  text_add(&command, " -name *%s* -C%s%s -q %d", work->name_part, work->steal_next ? " -N" : "",
           work->hash_names ? " -H 1" : "", work->queue_length);
  result_pair("exe", "%s", command.data);
  free(command.data);
}

/* Returns kIOPS. */
static double measure_script(struct phase *phase, const struct find_work *work) {
  struct text command = {0};
  text_add(&command, "%s %s %s %s", option_text(phase->name, "external-mpi-args"),
           option_text(phase->name, "external-script"),
           option_text(phase->name, "external-extra-args"), work->directory);
  if (work->newer_than) text_add(&command, " -newer %s -size %dc", work->newer_than, HARD_BYTES);
  text_add(&command, " -name \"*%s*\"", work->name_part);
  result_pair("exe", "%s", command.data);
  if (option_text(phase->name, "nproc"))
    result_pair("nproc", "%s", option_text(phase->name, "nproc"));
  char *size = format_text("%dc", HARD_BYTES), *name = format_text("*%s*", work->name_part);
  const char *const all[] = {
      work->directory, "-newer", work->newer_than, "-size", size, "-name", name, NULL};
  const char *const names[] = {work->directory, "-name", name, NULL};
  struct script_command script = {.launcher = option_text(phase->name, "external-mpi-args"),
                                  .options = option_text(phase->name, "external-extra-args"),
                                  .script = option_text(phase->name, "external-script"),
                                  .arguments = work->newer_than ? all : names};
  struct script_result result = {0};
  if (!run.dry) {
    result = script_run(&script);
    result_pair("last-output", "\"%s\"", result.last);
    if (result.status)
      phase_invalid(phase, "Exit code %d != 0 from find command: \"%s\"", result.status,
                    command.data);
    if (!result.counted)
      result_comment("WARNING the last line is not MATCHED found/total; its lines were counted");
    if (!result.found) phase_invalid(phase, "Find didn't find anything, this is likely invalid.");
    result_pair("total-files", "%" PRIu64, result.total);
    result_pair("found", "%" PRIu64, result.found);
  }
  free(command.data);
  free(size);
  free(name);
  return result.time > 0 ? (double)result.total / result.time / 1000 : 0;
}

/* Returns kIOPS. */
static double measure_walk(struct phase *phase, const struct find_work *work) {
  write_command(work);
  result_pair("nproc", "%d", work->ranks);
  struct find_result result = {0};
  if (!run.dry) {
    result = find_run(work);
    if (!result.found) phase_invalid(phase, "Find didn't find anything, this is likely invalid.");
    if (result.errors)
      phase_invalid(phase, "%" PRIu64 " directories or files could not be looked at",
                    result.errors);
    result_pair("found", "%" PRIu64, result.found);
    result_pair("total-files", "%" PRIu64, result.total);
  }
  return result.time > 0 ? (double)result.total / result.time / 1000 : 0;
}

double measure_find(struct phase *phase) {
  bool names_only = !strcmp(phase->name, "find-easy");
  char *directory = directory_of(phase), *timestamp = format_text("%s/timestampfile", run.results);
  char *csv = format_text("%s/%s.csv", run.results, phase->name);
  struct find_work work = {
      .directory = directory,
      .name_part = "01",
      .newer_than = names_only ? NULL : timestamp,
      .size = names_only ? -1 : HARD_BYTES,
      .ranks = option_int(phase->name, "nproc", world.size),
      .queue_length = option_int(phase->name, "pfind-queue-length", 0),
      .steal_next = option_true(phase->name, "pfind-steal-next"),
      .hash_names = option_true(phase->name, "pfind-parallelize-single-dir-access-using-hashing"),
      .csv = csv,
  };
  double score = option_text(phase->name, "external-script") ? measure_script(phase, &work)
                                                             : measure_walk(phase, &work);
  free(directory);
  free(timestamp);
  free(csv);
  return score;
}
