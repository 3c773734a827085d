#include "record_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

const double record_shares[RECORD_SHARES] = {0.5, 0.95, 0.99, 0.999, 1};

static const char head_of_seconds[] =
    "phase,operation,second,start_epoch_s,duration_s,ranks,operations,bytes,"
    "p50_s,p95_s,p99_s,p99.9_s,max_s\n";
static const char head_of_latencies[] = "phase,operation,count,p50_s,p95_s,p99_s,p99.9_s,max_s\n";
static const char head_of_classes[] = "phase,operation,from_s,to_s,count\n";
static const char head_of_ranks[] =
    "phase,rank,host,operations,bytes,start_epoch_s,stonewall_s,stonewall_operations,"
    "first_s,last_s,end_s,open_s,transfer_s,fsync_s,close_s,cpu_s\n";

/* A field of a CSV file. */
static void add_field(struct text *text, const char *value) {
  if (!value[strcspn(value, ",\"\r\n")]) {
    text_add(text, "%s", value);
    return;
  }
  text_add(text, "\"");
  for (; *value; value++) text_add(text, *value == '"' ? "\"\"" : "%c", *value);
  text_add(text, "\"");
}

static void add_quantiles(struct text *text, const struct histogram *latency) {
  for (int i = 0; i < RECORD_SHARES; i++)
    if (latency->total)
      text_add(text, ",%.9f", histogram_quantile(latency, record_shares[i]));
    else
      text_add(text, ",");
  text_add(text, "\n");
}

void record_add_second(struct record_rows *rows, const char *phase, const char *operation,
                       const struct record_second *second, const struct histogram *latency) {
  struct text *text = &rows->seconds;
  add_field(text, phase);
  text_add(text, ",%s,%.0f,%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64, operation, second->start,
           second->epoch, second->seconds, second->ranks, second->operations, second->bytes);
  add_quantiles(text, latency);
}

static void add_classes(struct text *text, const char *phase, const char *operation,
                        const struct histogram *latency) {
  struct histogram_part part = {0};
  while (histogram_next(latency, &part)) {
    add_field(text, phase);
    text_add(text, ",%s,%.9f,%.9f,%" PRIu64 "\n", operation, 1e-9 * (double)part.from,
             1e-9 * (double)part.to, part.count);
  }
}

void record_add_latency(struct record_rows *rows, const char *phase, const char *operation,
                        const struct histogram *latency, record_tell *tell) {
  if (!latency->total) return;
  double seconds[RECORD_SHARES];
  for (int i = 0; i < RECORD_SHARES; i++)
    seconds[i] = histogram_quantile(latency, record_shares[i]);
  if (tell) tell(operation, seconds);
  add_field(&rows->latencies, phase);
  text_add(&rows->latencies, ",%s,%" PRIu64, operation, latency->total);
  add_quantiles(&rows->latencies, latency);
  add_classes(&rows->classes, phase, operation, latency);
}

static void add_seconds(struct text *text, double seconds) {
  if (seconds < 0)
    text_add(text, ",");
  else
    text_add(text, ",%.6f", seconds);
}

void record_add_rank(struct record_rows *rows, const char *phase, int rank,
                     const struct record_rank *did) {
  struct text *text = &rows->ranks;
  add_field(text, phase);
  text_add(text, ",%d,", rank);
  add_field(text, did->host);
  text_add(text, ",%.0f,%.0f,%.6f", did->operations, did->bytes, did->epoch);
  add_seconds(text, did->stonewall);
  if (did->stonewall < 0)
    text_add(text, ",");
  else
    text_add(text, ",%.0f", did->stonewall_operations);
  add_seconds(text, did->first);
  add_seconds(text, did->last);
  add_seconds(text, did->end);
  for (int part = 0; part < RECORD_PARTS; part++) add_seconds(text, did->part[part]);
  add_seconds(text, did->cpu);
  text_add(text, "\n");
}

/* The file with further rows, whole or not at all. */
static void add_rows(const char *directory, const char *name, const char *head, struct text *rows,
                     bool goes_on) {
  char *path = format_text("%s/%s", directory, name);
  char *unfinished = format_text("%s.unfinished", path);
  char *before = goes_on ? read_file(path) : NULL;
  FILE *file = create_file(unfinished);
  fputs(before ? before : head, file);
  if (rows->data) fputs(rows->data, file);
  int error = ferror(file) || fflush(file) ? errno : 0;
  if (fclose(file) && !error) error = errno;
  if (!error && rename(unfinished, path)) error = errno;
  if (error) {
    remove(unfinished);
    fail_call("write", path, -1, error);
  }
  free(before);
  free(unfinished);
  free(path);
  free(rows->data);
  *rows = (struct text){0};
}

void record_write(const char *directory, struct record_rows *rows) {
  static bool goes_on;
  add_rows(directory, "timeseries.csv", head_of_seconds, &rows->seconds, goes_on);
  add_rows(directory, "latency.csv", head_of_latencies, &rows->latencies, goes_on);
  add_rows(directory, "histogram.csv", head_of_classes, &rows->classes, goes_on);
  add_rows(directory, "ranks.csv", head_of_ranks, &rows->ranks, goes_on);
  goes_on = true;
}
