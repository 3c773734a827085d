#include "histogram.h"

#include <math.h>
#include <string.h>

#include "common.h"

void histogram_reset(struct histogram *histogram) {
  memset(histogram, 0, sizeof *histogram);
  histogram->min = UINT64_MAX;
}

/* The lowest value of a class, ns. */
static uint64_t lowest_of(int class) {
  const int linear = 1 << HISTOGRAM_BITS;
  if (class < linear) return (uint64_t)class;
  return (uint64_t)((class & (linear - 1)) + linear) << ((class >> HISTOGRAM_BITS) - 1);
}

/* The middle of a class. */
static double value_of(int class) {
  if (class < 1 << HISTOGRAM_BITS) return class;
  uint64_t values = (uint64_t)1 << ((class >> HISTOGRAM_BITS) - 1);
  return (double)lowest_of(class) + (double)(values - 1) / 2;
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

/* The part that a class belongs to. */
static int part_of(int class) {
  return class ? 1 + (int)floor(HISTOGRAM_PARTS * log2((double)lowest_of(class))) : 0;
}

bool histogram_next(const struct histogram *histogram, struct histogram_part *part) {
  int class = part->next;
  while (class < HISTOGRAM_CLASSES && !histogram->count[class]) class++;
  if (class == HISTOGRAM_CLASSES) return false;
  int first = class, last = class, number = part_of(class);
  while (first > 0 && part_of(first - 1) == number) first--;
  part->count = 0;
  for (; last < HISTOGRAM_CLASSES && part_of(last) == number; last++)
    part->count += histogram->count[last];
  part->from = lowest_of(first);
  part->to = last < HISTOGRAM_CLASSES ? lowest_of(last) : UINT64_MAX;
  part->next = last;
  return true;
}
