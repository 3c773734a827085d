/* Preloaded: the monotonic clock goes so many times as fast as HDB_CLOCK_RATE says, from the first
   look at it on, so that a limit of a minute is over in a moment. Sleeping takes as long as ever.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

int clock_gettime(clockid_t clock, struct timespec *at) {
  static long long first, rate;
  int failed = (int)syscall(SYS_clock_gettime, clock, at);
  if (clock != CLOCK_MONOTONIC) return failed;
  long long ns = at->tv_sec * SECOND + at->tv_nsec;
  if (!rate) {
    rate = atoll(getenv("HDB_CLOCK_RATE"));
    first = ns;
  }
  ns = first + (ns - first) * rate;
  at->tv_sec = ns / SECOND;
  at->tv_nsec = ns % SECOND;
  return failed;
}
