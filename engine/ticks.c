#include "ticks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common.h"

#define SHORTEST 2000000ULL  /* ns to measure ticks over */
#define LONGEST 100000000ULL /* ns after which the next measurement starts anew */

struct ticks_scale ticks_scale = {false, 1ULL << 32};
static uint64_t anchor_ticks, anchor_ns;

uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_nsec;
}

/* The kernel takes the counter for its own clock only where it is constant, never stops and agrees
   between processors. */
static bool kernel_trusts_counter(void) {
  char name[32] = "";
  FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
  if (!file) return false;
  bool good = fgets(name, sizeof name, file) && !strcmp(name, "tsc\n");
  fclose(file);
  return good;
}

void ticks_start(void) {
#if defined(__x86_64__)
  ticks_scale.counter = kernel_trusts_counter();
#endif
  anchor_ticks = ticks_now();
  anchor_ns = now_ns();
}

void ticks_calibrate(void) {
  if (!ticks_scale.counter) return;
  static bool known;
  uint64_t ns, ticks;
  do {
    ns = now_ns();
    ticks = ticks_now();
  } while (!known && ns - anchor_ns < SHORTEST);
  if (ns - anchor_ns < SHORTEST || ticks <= anchor_ticks) return;
  known = true;
  ticks_scale.ns_per_32 =
      (uint64_t)(((unsigned __int128)(ns - anchor_ns) << 32) / (ticks - anchor_ticks));
  if (ns - anchor_ns < LONGEST) return;
  anchor_ns = ns;
  anchor_ticks = ticks;
}

uint64_t ticks_of(uint64_t ns) {
  return (uint64_t)(((unsigned __int128)ns << 32) / ticks_scale.ns_per_32);
}

struct stonewall stonewall_from(double start, int seconds) {
  struct stonewall wall = {.start = start, .seconds = seconds, .near = UINT64_MAX};
  if (!seconds) return wall;
  ticks_calibrate();
  double left = start + 0.999 * seconds - now();
  wall.near = ticks_now() + (left > 0 ? ticks_of((uint64_t)(1e9 * left)) : 0);
  return wall;
}

bool stonewall_is_over(const struct stonewall *wall) { return now() - wall->start > wall->seconds; }
