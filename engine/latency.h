/* What the latencies of a phase are told by: a key of result.txt and rows of latency.csv. */
#ifndef HDB_LATENCY_H
#define HDB_LATENCY_H

#include "histogram.h"

/* Rank 0 writes; the file is made with its head at the first phase of a run. */
void latency_write(const char *phase, const char *operation, const struct histogram *latency);

#endif
