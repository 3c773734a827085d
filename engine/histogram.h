/* Latencies counted in log-linear classes: exact below 128 ns, within 0.8 % above. */
#ifndef HDB_HISTOGRAM_H
#define HDB_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_BITS 7 /* classes in a power of two: 2^7 */
#define HISTOGRAM_CLASSES ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
  uint64_t count[HISTOGRAM_CLASSES];
  uint64_t total, min, max; /* min and max in ns */
};

static inline int histogram_class(uint64_t ns) {
  const int linear = 1 << HISTOGRAM_BITS;
  if (ns < (uint64_t)linear) return (int)ns;
  int shift = 63 - __builtin_clzll(ns) - HISTOGRAM_BITS;
  return ((shift + 1) << HISTOGRAM_BITS) + (int)(ns >> shift) - linear;
}

void histogram_reset(struct histogram *histogram);
void histogram_add(struct histogram *histogram, uint64_t ns);

/* The latency that a share of all operations did not exceed, s. 0 <= share <= 1; 0 without any. */
double histogram_quantile(const struct histogram *histogram, double share);

/* Adds those of all ranks; collective. Every rank holds the sum. */
void histogram_merge(const struct histogram *own, struct histogram *sum);

/* Neighbouring classes taken together: HISTOGRAM_PARTS in a power of two, all of about the same
   width on a logarithmic axis: 4 to 5 %, and whole ns. */
#define HISTOGRAM_PARTS 16
struct histogram_part {
  uint64_t from, to, count; /* from <= latency < to, ns */
  int next;                 /* the class that follows */
};
/* The next part that is not empty, from {0} on. False: there is none. */
bool histogram_next(const struct histogram *histogram, struct histogram_part *part);

#endif
