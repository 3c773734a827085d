/* The record of a rank under a clock of its own: what stays of seconds, hours and months. */
#include "../../../engine/record.c"

#include <assert.h>
#include <stdio.h>

struct ticks_scale ticks_scale = {false, 1ULL << 32};
static uint64_t clock_ns = 7777777;

uint64_t now_ns(void) { return clock_ns; }
void ticks_start(void) {}
void ticks_calibrate(void) {}
uint64_t ticks_of(uint64_t ns) { return ns; }

/* An operation that takes so many ns and ends at `second` of the phase. */
static void operate(double second, uint64_t took, uint64_t bytes) {
  clock_ns = record.zero + (uint64_t)(1e9 * second);
  record_done(RECORD_CREATE, bytes, clock_ns - took, clock_ns);
}

/* Operations of an interval, once it is closed; its latencies go to *latency. */
static uint64_t look(size_t interval, struct histogram *latency) {
  const struct series *series = record.series[RECORD_CREATE];
  histogram_reset(latency);
  record_unpack(series, interval, latency->count);
  for (int i = 0; i < HISTOGRAM_CLASSES; i++) latency->total += latency->count[i];
  latency->min = 0;
  latency->max = series->closed[interval].max;
  return series->closed[interval].operations;
}

static bool near(double value, double expected) {
  return value > 0.99 * expected && value < 1.01 * expected;
}

static struct histogram latency;

static void every_second_keeps_its_operations_and_latencies(void) {
  record_begin();
  for (int i = 0; i < 1000; i++) operate(0.5 + 1e-4 * i, i < 990 ? 2000 : 5000000, 10);
  operate(1.25, 123456789, 10);
  operate(4.5, 100, 10); /* nothing in seconds 2 and 3 */
  record_close_interval();
  assert(record.closed == 5);
  assert(look(0, &latency) == 1000 && latency.total == 1000);
  assert(near(histogram_quantile(&latency, 0.5), 2e-6));
  assert(near(histogram_quantile(&latency, 0.99), 2e-6));
  assert(near(histogram_quantile(&latency, 0.999), 5e-3));
  assert(histogram_quantile(&latency, 1) == 5e-3);
  assert(record.series[RECORD_CREATE]->closed[0].bytes == 10000);
  assert(look(1, &latency) == 1 && latency.max == 123456789);
  assert(look(2, &latency) == 0 && look(3, &latency) == 0 && look(4, &latency) == 1);
  assert(record_operations() == 1002);
  record_forget();
}

static void intervals_double_after_1024_seconds_and_lose_nothing(void) {
  record_begin();
  for (int second = 0; second < 1500; second++)
    for (int i = 0; i < 3; i++) operate(second + 0.3 * i, (uint64_t)(1000 * (second + 1)), 1);
  record_close_interval();
  assert(record.shift == 1 && record.closed == 750);
  for (size_t i = 0; i < record.closed; i++) {
    assert(look(i, &latency) == 6 && latency.total == 6);
    assert(latency.max == 1000 * (2 * i + 2));
  }
  record_forget();
}

static void a_month_stays_below_the_limit_of_memory(void) {
  record_begin();
  uint64_t took = 1;
  for (int hour = 0; hour < 720; hour++)
    for (int i = 0; i < 1000; i++) {
      took = took * 2862933555777941757ULL + 3037000493ULL;
      operate(3600.0 * hour + 3.6 * i, (took >> 33) % 1000000000, 1);
    }
  record_close_interval();
  assert(record.closed <= RECORD_INTERVALS);
  assert(packed_bytes() < RECORD_BYTES + (1 << 20));
  assert(record_operations() == 720000);
  uint64_t sum = 0;
  for (size_t i = 0; i < record.closed; i++) {
    uint64_t operations = look(i, &latency);
    assert(latency.total == operations);
    sum += operations;
  }
  assert(sum == 720000);
  record_forget();
}

static void rich_latencies_make_intervals_longer_before_they_take_more_room(void) {
  record_begin();
  uint64_t took = 1;
  for (int second = 0; second < 1000; second++)
    for (int i = 0; i < 20000; i++) { /* over 33 powers of two */
      took = took * 2862933555777941757ULL + 3037000493ULL;
      operate(1000 + second + 4e-5 * i, took >> 24 >> (i % 33), 1);
    }
  record_close_interval();
  assert(record.shift > 0);
  assert(packed_bytes() < RECORD_BYTES + (1 << 20));
  assert(record_operations() == 20000000);
  record_forget();
}

static void a_trillion_operations_and_an_exbibyte_are_counted(void) {
  record_begin();
  operate(0.5, 1000, 1);
  struct series *series = record.series[RECORD_CREATE];
  int class = histogram_class(1000);
  series->count[class] = 1000000000000ULL;
  series->open.bytes = 1ULL << 60;
  operate(1.5, 1000, 1ULL << 60);
  record_close_interval();
  record_fold();
  assert(look(0, &latency) == 1000000000001ULL);
  assert(latency.count[class] == 1000000000001ULL);
  assert(series->closed[0].bytes == 1ULL << 61);
  assert(near(histogram_quantile(&latency, 0.999), 1e-6));
  record_forget();
}

/* A group that begins now: what its first operation and the seven others took, ns. */
static bool group(uint64_t first, uint64_t others) {
  uint64_t start = ticks_now();
  return record_group(RECORD_STAT, 0, start, start + ticks_of(first),
                      start + ticks_of(first + others));
}

static uint64_t between(uint64_t low, uint64_t high) {
  uint64_t sum = 0;
  for (int class = histogram_class(low); class <= histogram_class(high); class++)
    sum += latency.count[class];
  return sum;
}

static void a_group_counts_every_operation_and_tells_the_slow_one_apart(void) {
  record_begin();
  assert(group(700, 4900));    /* as they are */
  assert(!group(1900, 14500)); /* no longer quick */
  assert(!group(40000, 4900)); /* the first stood still */
  assert(!group(700, 504200)); /* one of the others did */
  record_close_interval();
  assert(record_operations() == 4 * RECORD_GROUP);
  memset(&latency, 0, sizeof latency);
  record_unpack(record.series[RECORD_STAT], 0, latency.count);
  assert(between(690, 710) == RECORD_GROUP + RECORD_GROUP - 1 + RECORD_GROUP - 1);
  assert(between(1880, 1920) == RECORD_GROUP);
  assert(between(39500, 40500) == 1);
  assert(between(496000, 504000) == 1);
  assert(near(1e-9 * (double)record.series[RECORD_STAT]->closed[0].max, 500e-6));
  record_forget();
}

static void histograms_taken_together_lose_no_class_and_are_as_wide_everywhere(void) {
  histogram_reset(&latency);
  for (int class = 0; class < HISTOGRAM_CLASSES; class++) latency.count[class] = 1;
  struct histogram_part part = {0};
  uint64_t before = 0, sum = 0;
  int parts = 0;
  for (; histogram_next(&latency, &part); parts++) {
    assert(part.from == before && part.to > part.from);
    assert((double)(part.to - part.from) <= 1 + 0.053 * (double)part.from);
    before = part.to;
    sum += part.count;
  }
  assert(before == UINT64_MAX && sum == HISTOGRAM_CLASSES);
  assert(parts < 64 * HISTOGRAM_PARTS);

  histogram_reset(&latency);
  histogram_add(&latency, 1000);
  histogram_add(&latency, 1023);
  histogram_add(&latency, 1024);
  part = (struct histogram_part){0};
  assert(histogram_next(&latency, &part) && part.count == 2 && part.to == 1024);
  assert(part.from > 970 && part.from <= 1000);
  assert(histogram_next(&latency, &part) && part.count == 1 && part.from == 1024);
  assert(!histogram_next(&latency, &part));
}

static void nothing_is_recorded_before_the_phase_begins_or_when_it_is_off(void) {
  record_done(RECORD_STAT, 0, 1, 2);
  assert(!record.series[RECORD_STAT]);
  record.off = true;
  record_begin();
  record_done(RECORD_STAT, 0, 1, 2);
  assert(!record.series[RECORD_STAT]);
}

int main(void) {
  every_second_keeps_its_operations_and_latencies();
  intervals_double_after_1024_seconds_and_lose_nothing();
  a_month_stays_below_the_limit_of_memory();
  rich_latencies_make_intervals_longer_before_they_take_more_room();
  a_trillion_operations_and_an_exbibyte_are_counted();
  a_group_counts_every_operation_and_tells_the_slow_one_apart();
  histograms_taken_together_lose_no_class_and_are_as_wide_everywhere();
  nothing_is_recorded_before_the_phase_begins_or_when_it_is_off();
  puts("ok");
  return 0;
}
