#include "latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common.h"
#include "phases.h"
#include "result.h"

static const double shares[] = {0.5, 0.95, 0.99, 0.999, 1};
#define SHARES 5

static void write_row(const char *phase, const char *operation, uint64_t count,
                      const double quantiles[SHARES]) {
  static bool started;
  char *path = format_text("%s/latency.csv", run.results);
  FILE *file = fopen(path, started ? "a" : "w");
  if (!file) fail_call("open", path, -1, errno);
  if (!started) fputs("phase,operation,count,p50_s,p95_s,p99_s,p99.9_s,max_s\n", file);
  started = true;
  fprintf(file, "%s,%s,%" PRIu64, phase, operation, count);
  for (int i = 0; i < SHARES; i++) fprintf(file, ",%.9f", quantiles[i]);
  fputc('\n', file);
  if (fclose(file)) fail_call("write", path, -1, errno);
  free(path);
}

void latency_write(const char *phase, const char *operation, const struct histogram *latency) {
  if (world.rank != 0 || !latency->total) return;
  double quantiles[SHARES];
  for (int i = 0; i < SHARES; i++) quantiles[i] = histogram_quantile(latency, shares[i]);
  char *key = format_text("latency-%s", operation);
  result_pair(key, "p50 %.9f p95 %.9f p99 %.9f p99.9 %.9f max %.9f", quantiles[0], quantiles[1],
              quantiles[2], quantiles[3], quantiles[4]);
  free(key);
  write_row(phase, operation, latency->total, quantiles);
}
