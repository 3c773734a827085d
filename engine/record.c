#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"

const char *const record_names[RECORD_KINDS] = {"write",  "read",     "create", "stat",
                                                "delete", "mkdir",    "rmdir",  "rename",
                                                "entry",  "getdents", "lstat"};
struct record record;

#define SECOND 1000000000ULL /* ns */

static double cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double record_begin(void) {
  if (record.off || record.on) return now();
  struct timespec utc;
  ticks_calibrate();
  record.boundary = 0; /* the first operation comes by record_advance */
  record.first = record.last = record.stonewall = record.end = -1;
  record.until_apart = RECORD_SAMPLE / 2; /* the first is no typical one */
  record.on = true;
  record.cpu_zero = cpu_time();
  clock_gettime(CLOCK_REALTIME, &utc);
  record.epoch = (double)utc.tv_sec + 1e-9 * (double)utc.tv_nsec;
  record.zero = now_ns();
  return 1e-9 * (double)record.zero;
}

struct series *record_series(enum record_kind kind) {
  struct series *series = need_memory(calloc(1, sizeof *series));
  series->closed = need_memory(calloc(RECORD_INTERVALS, sizeof *series->closed));
  return record.series[kind] = series;
}

static void count_latency(struct series *series, uint64_t ns, uint64_t operations) {
  series->count[histogram_class(ns)] += operations;
  if (operations && ns > series->open.max) series->open.max = ns;
}

void record_uneven(enum record_kind kind, uint64_t first_ns, uint64_t others_ns) {
  const uint64_t others = RECORD_GROUP - 1;
  struct series *series = record.series[kind];
  if (others_ns < RECORD_SLOW) { /* it was the first */
    count_latency(series, first_ns, 1);
    count_latency(series, others_ns / others, others);
    return;
  }
  uint64_t usual = first_ns < others_ns / others ? first_ns : others_ns / others;
  count_latency(series, others_ns - (others - 1) * usual, 1);
  count_latency(series, usual, others - 1);
  count_latency(series, first_ns, 1);
}

/* s from the phase's zero to now, on the clock of the system. */
static double since_zero(void) { return 1e-9 * (double)(now_ns() - record.zero); }

uint64_t record_operations(void) {
  uint64_t sum = 0;
  for (int kind = 0; kind < RECORD_KINDS; kind++) {
    const struct series *series = record.series[kind];
    if (!series || RECORD_IS_CALL(kind)) continue;
    sum += series->open.operations;
    for (int class = 0; class < HISTOGRAM_CLASSES; class++) sum += series->count[class];
    for (size_t i = 0; i < record.closed; i++) sum += series->closed[i].operations;
  }
  return sum;
}

void record_stonewall(void) {
  if (!record.on || record.stonewall >= 0) return;
  record.stonewall = since_zero();
  record.stonewall_operations = record_operations();
}

void record_over(void) {
  if (!record.on) return;
  record.end = since_zero();
  record.cpu = cpu_time() - record.cpu_zero;
  if (record.first < 0) return;
  record.last = record.end - 1e-9 * (double)ticks_ns(record.newest, ticks_now());
  if (record.last < record.first) record.last = record.first;
}

static void put_byte(struct series *series, unsigned char byte) {
  if (series->length == series->room) {
    series->room = series->room ? 2 * series->room : 4096;
    series->packed = need_memory(realloc(series->packed, series->room));
  }
  series->packed[series->length++] = byte;
}

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
static void put_number(struct series *series, uint64_t number) {
  for (; number > 127; number >>= 7) put_byte(series, (unsigned char)(number | 128));
  put_byte(series, (unsigned char)number);
}

static uint64_t get_number(const unsigned char **at) {
  uint64_t number = 0;
  int shift = 0;
  do {
    number |= (uint64_t)(**at & 127) << shift;
    shift += 7;
  } while (*(*at)++ & 128);
  return number;
}

/* The classes that are not empty, as pairs of the steps between them and their counts. Returns the
 * sum of these. */
static uint64_t pack(struct series *series, struct interval *into, const uint64_t *count) {
  into->at = series->length;
  uint64_t sum = 0;
  int before = -1;
  for (int class = 0; class < HISTOGRAM_CLASSES; class++) {
    if (!count[class]) continue;
    put_number(series, (uint64_t)(class - before));
    put_number(series, count[class]);
    sum += count[class];
    before = class;
  }
  return sum;
}

void record_unpack(const struct series *series, size_t interval, uint64_t *count) {
  const unsigned char *at = series->packed + series->closed[interval].at;
  const unsigned char *end =
      series->packed +
      (interval + 1 < record.closed ? series->closed[interval + 1].at : series->length);
  int class = -1;
  while (at < end) {
    class += (int)get_number(&at);
    count[class] += get_number(&at);
  }
}

static size_t packed_bytes(void) {
  size_t sum = 0;
  for (int kind = 0; kind < RECORD_KINDS; kind++)
    if (record.series[kind]) sum += record.series[kind]->length;
  return sum;
}

void record_close_interval(void) {
  for (int kind = 0; kind < RECORD_KINDS; kind++) {
    struct series *series = record.series[kind];
    if (!series) continue;
    struct interval *into = &series->closed[record.closed];
    *into = series->open;
    into->operations += pack(series, into, series->count);
    memset(series->count, 0, sizeof series->count);
    series->open = (struct interval){0};
  }
  record.closed++;
}

static void fold_series(struct series *series) {
  struct series folded = {.closed = series->closed};
  uint64_t count[HISTOGRAM_CLASSES];
  struct interval *result = need_memory(calloc(RECORD_INTERVALS, sizeof *result));
  for (size_t i = 0; i < record.closed; i += 2) {
    memset(count, 0, sizeof count);
    for (size_t j = i; j < i + 2 && j < record.closed; j++) {
      const struct interval *from = &series->closed[j];
      result[i / 2].operations += from->operations;
      result[i / 2].bytes += from->bytes;
      if (from->max > result[i / 2].max) result[i / 2].max = from->max;
      record_unpack(series, j, count);
    }
    pack(&folded, &result[i / 2], count);
  }
  memcpy(series->closed, result, RECORD_INTERVALS * sizeof *result);
  free(result);
  free(series->packed);
  series->packed = folded.packed;
  series->length = folded.length;
  series->room = folded.room;
}

void record_fold(void) {
  for (int kind = 0; kind < RECORD_KINDS; kind++)
    if (record.series[kind]) fold_series(record.series[kind]);
  record.closed = (record.closed + 1) / 2;
  record.shift++;
}

void record_advance(uint64_t ticks) {
  /* The system's clock says where this is; the ticks are measured anew against it each time. */
  ticks_calibrate();
  uint64_t behind = ticks_ns(ticks, ticks_now()), ns = now_ns() - record.zero;
  ns = ns > behind ? ns - behind : 0;
  if (record.first < 0) record.first = 1e-9 * (double)ns;
  while (ns >= (record.closed + 1) * SECOND << record.shift) {
    record_close_interval();
    bool full = record.closed == RECORD_INTERVALS || packed_bytes() > RECORD_BYTES;
    if (full && record.closed % 2 == 0) record_fold();
  }
  record.boundary = ticks + ticks_of(((record.closed + 1) * SECOND << record.shift) - ns);
}

void record_forget(void) {
  for (int kind = 0; kind < RECORD_KINDS; kind++) {
    struct series *series = record.series[kind];
    if (!series) continue;
    free(series->closed);
    free(series->packed);
    free(series);
  }
  record = (struct record){.off = record.off};
}
