/* The end of a phase's record: what the ranks counted is added up. */
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "record.h"
#include "record_files.h"

#define BLOCK (1UL << 17) /* words that are added up over the ranks at once */

/* What the ranks agree on before anything is added up. */
struct extent {
  int kinds, shift, intervals, lowest, highest; /* kinds as bits; classes of latencies */
  double last;                                  /* s */
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

/* One interval of all ranks; adds it to the phase's own latencies too. */
static void add_interval(struct record_rows *rows, const char *phase, const char *operation,
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
  struct record_second second = {.start = start,
                                 .epoch = record.epoch + start,
                                 .seconds = seconds > 0 ? seconds : 0,
                                 .ranks = row[RANKS],
                                 .operations = row[OPERATIONS],
                                 .bytes = row[BYTES]};
  record_add_second(rows, phase, operation, &second, &latency);
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

/* Adds up one kind over the ranks, some intervals at a time, so that neither the memory nor a
   message grows with the time a phase takes. */
static void merge_kind(enum record_kind kind, const char *phase, const struct extent *all,
                       struct record_rows *rows, record_tell *tell) {
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
    int most = all->intervals - first < block ? all->intervals - first : block;
    fill_rows(series, all, first, most, words, own);
    MPI_Reduce(own, sum, (int)words * most, MPI_UINT64_T, MPI_SUM, 0, world.comm);
    for (int i = 0; world.rank == 0 && i < most; i++)
      add_interval(rows, phase, record_names[kind], all, first + i, sum + words * (size_t)i,
                   max[first + i], whole);
  }
  if (world.rank == 0) record_add_latency(rows, phase, record_names[kind], whole, tell);
  free(own);
  free(sum);
  free(own_max);
  free(max);
  free(whole);
}

/* Seconds in a part of those operations that were timed by their parts, as if all had been; 0 where
   none were. */
static double estimated(enum record_part part) {
  if (!record.part_ticks[part]) return 0;
  double timed = 1e-9 * (double)ticks_ns(0, record.part_ticks[part]);
  uint64_t of = record.parted * RECORD_SAMPLE + RECORD_SAMPLE / 2 - record.until_apart;
  return timed / (double)record.parted * (double)of;
}

/* Seconds in each part, < 0 where it was neither measured nor estimated. A few slow files among
   those that were timed make estimates of more than the rank had: they share what is left. */
static void part_times(double part[RECORD_PARTS]) {
  double measured = 0, guessed = 0;
  for (int i = 0; i < RECORD_PARTS; i++) {
    measured += record.part[i];
    guessed += estimated(i);
  }
  double left = record.end > measured ? record.end - measured : 0;
  double share = guessed > left ? left / guessed : 1;
  for (int i = 0; i < RECORD_PARTS; i++) {
    bool known = record.part[i] > 0 || record.part_ticks[i];
    part[i] = known ? record.part[i] + share * estimated(i) : -1;
  }
}

static struct record_rank own_row(void) {
  struct record_rank row = {.operations = -1};
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
  part_times(row.part);
  return row;
}

static void gather_ranks(struct record_rows *rows, const char *phase) {
  struct record_rank own = own_row(), *all = NULL;
  if (world.rank == 0) all = need_memory(malloc(sizeof own * (size_t)world.size));
  MPI_Gather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, 0, world.comm);
  for (int rank = 0; world.rank == 0 && rank < world.size; rank++)
    if (all[rank].operations >= 0) /* else it had no part in this phase */
      record_add_rank(rows, phase, rank, &all[rank]);
  free(all);
}

void record_end(const char *directory, const char *phase, record_tell *tell) {
  struct extent all = agree();
  if (all.kinds) {
    struct record_rows rows = {0};
    for (int kind = 0; kind < RECORD_KINDS; kind++)
      if (all.kinds >> kind & 1) merge_kind(kind, phase, &all, &rows, tell);
    gather_ranks(&rows, phase);
    if (world.rank == 0) record_write(directory, &rows);
  }
  record_forget();
}
