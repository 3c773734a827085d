/* The end of a phase's record: the ranks' intervals added up, and the three files. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "files.h"
#include "record.h"

#define BLOCK (1UL << 17) /* words that are added up over the ranks at once */

const double record_shares[RECORD_SHARES] = {0.5, 0.95, 0.99, 0.999, 1};

/* What the ranks agree on before anything is added up. */
struct extent {
  int kinds, shift, intervals, lowest, highest; /* kinds as bits; classes of latencies */
  double last;                                  /* s */
};

/* The rows of the three files. */
struct tables {
  struct text seconds, latencies, ranks;
};

/* An interval as rank 0 has it in the end: how many operations and bytes, by how many ranks. */
enum { OPERATIONS, BYTES, RANKS, HEAD };

static void find_classes(const struct series *series, struct extent *own) {
  uint64_t count[HISTOGRAM_CLASSES] = {0};
  for (size_t i = 0; i < record.closed; i++) record_unpack(series, i, count);
  for (int class = 0; class < HISTOGRAM_CLASSES; class++) {
    if (!count[class]) continue;
    if (class < own->lowest) own->lowest = class;
    if (class > own->highest) own->highest = class;
  }
}

/* Ends this rank's record and brings it to the interval's length of the others. */
static struct extent agree(void) {
  if (record.on && record.end < 0) record_over();
  if (record.on) record_close_interval();
  struct extent own = {.lowest = HISTOGRAM_CLASSES};
  MPI_Allreduce(&record.shift, &own.shift, 1, MPI_INT, MPI_MAX, world.comm);
  while (record.shift < own.shift) record_fold();
  for (int kind = 0; kind < RECORD_KINDS; kind++) {
    if (!record.series[kind]) continue;
    own.kinds |= 1 << kind;
    find_classes(record.series[kind], &own);
  }
  struct extent all = own;
  int most[3] = {(int)record.closed, own.highest, -own.lowest}, of_all[3];
  MPI_Allreduce(&own.kinds, &all.kinds, 1, MPI_INT, MPI_BOR, world.comm);
  MPI_Allreduce(most, of_all, 3, MPI_INT, MPI_MAX, world.comm);
  all.intervals = of_all[0], all.highest = of_all[1], all.lowest = -of_all[2];
  all.last = reduce_double(record.on ? record.last : -1, MPI_MAX);
  return all;
}

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

/* One interval of all ranks; adds it to the phase's own latencies too. */
static void add_interval(struct text *text, const char *phase, const char *operation,
                         const struct extent *all, int number, const uint64_t *row, uint64_t max,
                         struct histogram *whole) {
  struct histogram latency = {.max = max};
  for (int class = all->lowest; class <= all->highest; class++) {
    uint64_t count = row[HEAD + class - all->lowest];
    latency.count[class] = count;
    latency.total += count;
    whole->count[class] += count;
    whole->total += count;
  }
  if (max > whole->max) whole->max = max;
  double width = (double)(1 << all->shift), start = number * width;
  double seconds = number + 1 < all->intervals ? width : all->last - start;
  add_field(text, phase);
  text_add(text, ",%s,%.0f,%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%" PRIu64, operation, start,
           record.epoch + start, seconds > 0 ? seconds : 0, row[RANKS], row[OPERATIONS],
           row[BYTES]);
  add_quantiles(text, &latency);
}

/* This rank's part of the intervals from `first` on, `rows` of them, each `words` long. */
static void fill_rows(const struct series *series, const struct extent *all, int first, int rows,
                      size_t words, uint64_t *own) {
  uint64_t count[HISTOGRAM_CLASSES];
  memset(own, 0, sizeof *own * words * (size_t)rows);
  for (int i = 0; series && i < rows && (size_t)(first + i) < record.closed; i++) {
    const struct interval *interval = &series->closed[first + i];
    uint64_t *row = own + words * (size_t)i;
    row[OPERATIONS] = interval->operations;
    row[BYTES] = interval->bytes;
    row[RANKS] = interval->operations > 0;
    memset(count, 0, sizeof count);
    record_unpack(series, (size_t)(first + i), count);
    if (all->highest >= all->lowest) /* else no operation of any rank has a latency */
      memcpy(row + HEAD, count + all->lowest, sizeof *count * (words - HEAD));
  }
}

static void add_row_of_latency(struct text *text, const char *phase, const char *operation,
                               const struct histogram *latency, record_tell *tell) {
  if (!latency->total) return;
  double seconds[RECORD_SHARES];
  for (int i = 0; i < RECORD_SHARES; i++)
    seconds[i] = histogram_quantile(latency, record_shares[i]);
  if (tell) tell(operation, seconds);
  add_field(text, phase);
  text_add(text, ",%s,%" PRIu64, operation, latency->total);
  add_quantiles(text, latency);
}

/* Adds up one kind over the ranks, some intervals at a time, so that neither the memory nor a
   message grows with the time a phase takes. */
static void merge_kind(enum record_kind kind, const char *phase, const struct extent *all,
                       struct tables *tables, record_tell *tell) {
  const struct series *series = record.series[kind];
  bool counted = all->highest >= all->lowest;
  size_t words = HEAD + (counted ? (size_t)(all->highest - all->lowest + 1) : 0);
  int block = (int)(words < BLOCK ? BLOCK / words : 1);
  if (block > all->intervals) block = all->intervals;
  uint64_t *own = need_memory(calloc(words * (size_t)block, sizeof *own));
  uint64_t *sum = need_memory(calloc(words * (size_t)block, sizeof *sum));
  uint64_t *own_max = need_memory(calloc((size_t)all->intervals, sizeof *own_max));
  uint64_t *max = need_memory(calloc((size_t)all->intervals, sizeof *max));
  struct histogram *whole = need_memory(calloc(1, sizeof *whole));
  for (size_t i = 0; series && i < record.closed; i++) own_max[i] = series->closed[i].max;
  MPI_Reduce(own_max, max, all->intervals, MPI_UINT64_T, MPI_MAX, 0, world.comm);
  for (int first = 0; first < all->intervals; first += block) {
    int rows = all->intervals - first < block ? all->intervals - first : block;
    fill_rows(series, all, first, rows, words, own);
    MPI_Reduce(own, sum, (int)words * rows, MPI_UINT64_T, MPI_SUM, 0, world.comm);
    for (int i = 0; world.rank == 0 && i < rows; i++)
      add_interval(&tables->seconds, phase, record_names[kind], all, first + i,
                   sum + words * (size_t)i, max[first + i], whole);
  }
  if (world.rank == 0)
    add_row_of_latency(&tables->latencies, phase, record_names[kind], whole, tell);
  free(own);
  free(sum);
  free(own_max);
  free(max);
  free(whole);
}

/* What one rank did. Times < 0: there was none. */
struct row {
  double operations, bytes, epoch, stonewall, stonewall_operations, first, last, end, cpu;
  double part[RECORD_PARTS];
  char host[sizeof world.host];
};

/* Seconds in a part of the operations: measured, and estimated from those that were timed by their
   parts; < 0 where neither was done. */
static double part_time(enum record_part part) {
  if (!record.part_ticks[part]) return record.part[part] > 0 ? record.part[part] : -1;
  double timed = 1e-9 * (double)ticks_ns(0, record.part_ticks[part]);
  uint64_t of = record.parted * RECORD_SAMPLE + RECORD_SAMPLE / 2 - record.until_apart;
  return record.part[part] + timed / (double)record.parted * (double)of;
}

static struct row own_row(void) {
  struct row row = {.operations = -1};
  memcpy(row.host, world.host, sizeof row.host);
  if (!record.on) return row;
  row.operations = (double)record_operations();
  for (int kind = 0; kind < RECORD_KINDS; kind++)
    for (size_t i = 0; record.series[kind] && i < record.closed; i++)
      row.bytes += (double)record.series[kind]->closed[i].bytes;
  row.epoch = record.epoch;
  row.stonewall = record.stonewall;
  row.stonewall_operations = (double)record.stonewall_operations;
  row.first = record.first;
  row.last = record.last;
  row.end = record.end;
  row.cpu = record.cpu;
  for (int part = 0; part < RECORD_PARTS; part++) row.part[part] = part_time(part);
  return row;
}

static void add_seconds(struct text *text, double seconds) {
  if (seconds < 0)
    text_add(text, ",");
  else
    text_add(text, ",%.6f", seconds);
}

static void gather_ranks(struct text *text, const char *phase) {
  struct row own = own_row(), *rows = NULL;
  if (world.rank == 0) rows = need_memory(malloc(sizeof own * (size_t)world.size));
  MPI_Gather(&own, (int)sizeof own, MPI_BYTE, rows, (int)sizeof own, MPI_BYTE, 0, world.comm);
  for (int rank = 0; world.rank == 0 && rank < world.size; rank++) {
    const struct row *row = &rows[rank];
    if (row->operations < 0) continue; /* it had no part in this phase */
    add_field(text, phase);
    text_add(text, ",%d,", rank);
    add_field(text, row->host);
    text_add(text, ",%.0f,%.0f,%.6f", row->operations, row->bytes, row->epoch);
    add_seconds(text, row->stonewall);
    if (row->stonewall < 0)
      text_add(text, ",");
    else
      text_add(text, ",%.0f", row->stonewall_operations);
    add_seconds(text, row->first);
    add_seconds(text, row->last);
    add_seconds(text, row->end);
    for (int part = 0; part < RECORD_PARTS; part++) add_seconds(text, row->part[part]);
    add_seconds(text, row->cpu);
    text_add(text, "\n");
  }
  free(rows);
}

/* The file with further rows, whole or not at all. */
static void add_rows(const char *directory, const char *name, const char *head,
                     const struct text *rows, bool goes_on) {
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
}

static void write_tables(const char *directory, const struct tables *tables) {
  static bool goes_on;
  add_rows(directory, "timeseries.csv",
           "phase,operation,second,start_epoch_s,duration_s,ranks,operations,bytes,"
           "p50_s,p95_s,p99_s,p99.9_s,max_s\n",
           &tables->seconds, goes_on);
  add_rows(directory, "latency.csv", "phase,operation,count,p50_s,p95_s,p99_s,p99.9_s,max_s\n",
           &tables->latencies, goes_on);
  add_rows(directory, "ranks.csv",
           "phase,rank,host,operations,bytes,start_epoch_s,stonewall_s,stonewall_operations,"
           "first_s,last_s,end_s,open_s,transfer_s,fsync_s,close_s,cpu_s\n",
           &tables->ranks, goes_on);
  goes_on = true;
}

void record_end(const char *directory, const char *phase, record_tell *tell) {
  struct extent all = agree();
  if (all.kinds) {
    struct tables tables = {0};
    for (int kind = 0; kind < RECORD_KINDS; kind++)
      if (all.kinds >> kind & 1) merge_kind(kind, phase, &all, &tables, tell);
    gather_ranks(&tables.ranks, phase);
    if (world.rank == 0) write_tables(directory, &tables);
    free(tables.seconds.data);
    free(tables.latencies.data);
    free(tables.ranks.data);
  }
  record_forget();
}
