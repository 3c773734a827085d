/* A clock cheap enough to be read at every operation: the processor's counter where the kernel
 * itself tells the time by it, else CLOCK_MONOTONIC. Less than half the cost of the latter, which
 * would be 2 % of a stat in memory. */
#ifndef HDB_TICKS_H
#define HDB_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct ticks_scale {
  bool counter;       /* a tick is one of the processor's counter, else 1 ns */
  uint64_t ns_per_32; /* ns of 2^32 ticks */
};
extern struct ticks_scale ticks_scale;

/* The same clock as now(), in whole ns. */
uint64_t now_ns(void);

/* Finds out which counter there is. Once, before anything else here. */
void ticks_start(void);

/* Measures the ticks anew against CLOCK_MONOTONIC, over the time since it was last done. The first
 * time it waits until that is a few ms. */
void ticks_calibrate(void);

static inline uint64_t ticks_now(void) {
#if defined(__x86_64__)
  if (ticks_scale.counter) return __rdtsc();
#endif
  return now_ns();
}

/* A span of ticks in ns. Counters of two processors may differ by a few: never negative. */
static inline uint64_t ticks_ns(uint64_t from, uint64_t to) {
  if (to <= from) return 0;
  return (uint64_t)((unsigned __int128)(to - from) * ticks_scale.ns_per_32 >> 32);
}

/* How many ticks so many ns are. */
uint64_t ticks_of(uint64_t ns);

/* The end of a stonewall. Ticks say cheaply that it is still far; close to it now() decides. */
struct stonewall {
  double start, seconds; /* seconds 0: none */
  uint64_t near;         /* ticks; UINT64_MAX: none */
};
struct stonewall stonewall_from(double start, int seconds);
static inline bool stonewall_is_near(const struct stonewall *wall, uint64_t ticks) {
  return ticks >= wall->near;
}
bool stonewall_is_over(const struct stonewall *wall);

#endif
