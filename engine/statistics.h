/* What a summary says of the iterations of one operation. */
#ifndef HDB_STATISTICS_H
#define HDB_STATISTICS_H

#include <stddef.h>

struct statistics {
  double max, min, mean;
  double deviation;        /* of these values: divided by their number */
  double sample_deviation; /* as an estimate: divided by one less; 0 for a single value */
};

struct statistics statistics_of(const double *values, size_t count);

#endif
