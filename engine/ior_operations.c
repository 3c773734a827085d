#include "ior_operations.h"

#include <errno.h>
#include <stdlib.h>

#include "common.h"
#include "files.h"
#include "ticks.h"

static uint64_t first; /* when the pass's first transfer began, ticks; 0: none yet */

static char *path_of(const struct ior_work *work) {
  return format_text("%s-%s-%d-%05d.csv", work->operations, work->write ? "write" : "read",
                     work->iteration, world.rank);
}

FILE *ior_operations_open(const struct ior_work *work) {
  if (!work->operations) return NULL;
  char *path = path_of(work);
  FILE *file = fopen(path, "w");
  if (!file) fail_call("open", path, -1, errno);
  fputs("time,runtime,tp\n", file);
  first = 0;
  free(path);
  return file;
}

void ior_operation(FILE *file, const struct ior_work *work, uint64_t start, uint64_t end) {
  if (!first) first = start;
  double seconds = 1e-9 * (double)ticks_ns(start, end);
  fprintf(file, "%.8e,%.8e,%.6e\n", 1e-9 * (double)ticks_ns(first, start), seconds,
          seconds > 0 ? (double)work->transfer / seconds : 0);
}

void ior_operations_close(FILE *file, const struct ior_work *work) {
  if (!file) return;
  char *path = path_of(work);
  close_file(file, path);
  free(path);
}
