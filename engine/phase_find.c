/* The find phases: their options, command lines and what makes them invalid. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "find.h"
#include "options.h"
#include "phases.h"
#include "result.h"

#define HARD_BYTES 3901

static void check_phase(const char *name) {
  int64_t ranks = option_number(name, "nproc", world.size);
  if (ranks < 1 || ranks > world.size)
    refuse("[%s] nproc = %" PRId64 ": this run has %d ranks", name, ranks, world.size);
  if (option_number(name, "pfind-queue-length", 0) < 1)
    refuse("[%s] pfind-queue-length = %s: expected 1 or more", name,
           option_text(name, "pfind-queue-length"));
  if (option_text(name, "external-script"))
    refuse("[%s] external-script: not supported by this version of the embedded engine; remove it "
           "or use upstream's io500",
           name);
}

void check_find(void) {
  check_phase("find");
  if (!run.extended) return;
  check_phase("find-easy");
  check_phase("find-hard");
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

double measure_find(struct phase *phase) {
  bool names_only = !strcmp(phase->name, "find-easy");
  char *directory = directory_of(phase), *timestamp = format_text("%s/timestampfile", run.results);
  char *csv = format_text("%s/%s.csv", run.results, phase->name);
  struct find_work work = {
      .directory = directory,
      .name_part = "01",
      .newer_than = names_only ? NULL : timestamp,
      .size = names_only ? -1 : HARD_BYTES,
      .ranks = (int)option_number(phase->name, "nproc", world.size),
      .queue_length = (int)option_number(phase->name, "pfind-queue-length", 0),
      .steal_next = option_true(phase->name, "pfind-steal-next"),
      .hash_names = option_true(phase->name, "pfind-parallelize-single-dir-access-using-hashing"),
      .csv = csv,
  };
  write_command(&work);
  result_pair("nproc", "%d", work.ranks);
  struct find_result result = {0};
  if (!run.dry) {
    result = find_run(&work);
    if (!result.found) phase_invalid(phase, "Find didn't find anything, this is likely invalid.");
    if (result.errors)
      phase_invalid(phase, "%" PRIu64 " directories or files could not be looked at",
                    result.errors);
    result_pair("found", "%" PRIu64, result.found);
    result_pair("total-files", "%" PRIu64, result.total);
  }
  free(directory);
  free(timestamp);
  free(csv);
  return result.time > 0 ? (double)result.total / result.time / 1000 : 0;
}
