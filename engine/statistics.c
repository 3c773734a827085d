#include "statistics.h"

#include <math.h>

struct statistics statistics_of(const double *values, size_t count) {
  struct statistics result = {0};
  if (!count) return result;
  result.max = result.min = values[0];
  for (size_t i = 0; i < count; i++) {
    if (values[i] > result.max) result.max = values[i];
    if (values[i] < result.min) result.min = values[i];
    result.mean += values[i] / (double)count;
  }
  double squares = 0;
  for (size_t i = 0; i < count; i++) squares += pow(values[i] - result.mean, 2);
  result.deviation = sqrt(squares / (double)count);
  if (count > 1) result.sample_deviation = sqrt(squares / (double)(count - 1));
  return result;
}
