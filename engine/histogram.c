#include "histogram.h"

#include <string.h>

#include "common.h"

void histogram_reset(struct histogram *histogram) {
  memset(histogram, 0, sizeof *histogram);
  histogram->min = UINT64_MAX;
}

/* The middle of a class. */
static double value_of(int class) {
  const int linear = 1 << HISTOGRAM_BITS;
  if (class < linear) return class;
  int shift = (class >> HISTOGRAM_BITS) - 1;
  uint64_t low = (uint64_t)((class & (linear - 1)) + linear) << shift;
  return (double)low + (double)(((uint64_t)1 << shift) - 1) / 2;
}

void histogram_add(struct histogram *histogram, uint64_t ns) {
  histogram->count[histogram_class(ns)]++;
  histogram->total++;
  if (ns < histogram->min) histogram->min = ns;
  if (ns > histogram->max) histogram->max = ns;
}

double histogram_quantile(const struct histogram *histogram, double share) {
  if (!histogram->total) return 0;
  if (share <= 0) return 1e-9 * (double)histogram->min;
  uint64_t rank = (uint64_t)(share * (double)histogram->total + 0.5), seen = 0;
  for (int i = 0; i < HISTOGRAM_CLASSES; i++) {
    seen += histogram->count[i];
    if (seen < rank || !seen) continue;
    double ns = value_of(i);
    if (ns < (double)histogram->min) ns = (double)histogram->min;
    if (ns > (double)histogram->max) ns = (double)histogram->max;
    if (share >= 1) ns = (double)histogram->max;
    return 1e-9 * ns;
  }
  return 1e-9 * (double)histogram->max;
}

void histogram_merge(const struct histogram *own, struct histogram *sum) {
  MPI_Allreduce(own->count, sum->count, HISTOGRAM_CLASSES, MPI_UINT64_T, MPI_SUM, world.comm);
  sum->total = reduce_count(own->total, MPI_SUM);
  sum->min = reduce_count(own->min, MPI_MIN);
  sum->max = reduce_count(own->max, MPI_MAX);
}
