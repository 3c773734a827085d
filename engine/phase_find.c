/* The find phase: its options, command line and what makes it invalid. */
#include <inttypes.h>
#include <stdlib.h>

#include "common.h"
#include "find.h"
#include "options.h"
#include "phases.h"
#include "result.h"

#define HARD_BYTES 3901

void check_find(void) {
  int64_t ranks = option_number("find", "nproc", world.size);
  if (ranks < 1 || ranks > world.size)
    refuse("[find] nproc = %" PRId64 ": this run has %d ranks", ranks, world.size);
  if (option_number("find", "pfind-queue-length", 0) < 1)
    refuse("[find] pfind-queue-length = %s: expected 1 or more",
           option_text("find", "pfind-queue-length"));
  if (option_text("find", "external-script"))
    refuse(
        "[find] external-script: not supported by this version of the embedded engine; remove it "
        "or use upstream's io500");
}

double measure_find(struct phase *phase) {
  char *timestamp = format_text("%s/timestampfile", run.results);
  struct find_work work = {
      .directory = run.data,
      .name_part = "01",
      .newer_than = timestamp,
      .size = HARD_BYTES,
      .ranks = (int)option_number("find", "nproc", world.size),
      .queue_length = (int)option_number("find", "pfind-queue-length", 0),
      .steal_next = option_true("find", "pfind-steal-next"),
      .hash_names = option_true("find", "pfind-parallelize-single-dir-access-using-hashing"),
      .csv = format_text("%s/find.csv", run.results),
  };
  result_pair("exe", "./pfind %s -newer %s -size %dc -name *01* -C%s%s -q %d", run.data, timestamp,
              HARD_BYTES, work.steal_next ? " -N" : "", work.hash_names ? " -H 1" : "",
              work.queue_length);
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
  free(timestamp);
  free((char *)work.csv);
  return result.time > 0 ? (double)result.total / result.time / 1000 : 0;
}
