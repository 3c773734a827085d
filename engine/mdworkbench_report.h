/* How the interactive metadata workload reports. */
#ifndef HDB_MDWORKBENCH_REPORT_H
#define HDB_MDWORKBENCH_REPORT_H

#include <stdio.h>

#include "histogram.h"
#include "mdworkbench.h"

/* One rank's part of a step or an iteration. */
struct mdworkbench_part {
  double time;                                /* s */
  uint64_t objects, sets, operations, errors; /* operations: those that succeeded */
  struct histogram *latency;                  /* MDW_OPERATIONS of them */
};

FILE *mdworkbench_report_start(const struct mdworkbench_work *work);

/* One line for all ranks and one for each; collective. Latencies of all ranks go to latency.
   Returns the slowest rank's time, s. */
double mdworkbench_report_part(FILE *file, const struct mdworkbench_work *work,
                               const struct mdworkbench_part *part, struct histogram *latency);
void mdworkbench_report_end(FILE *file, const struct mdworkbench_work *work, double seconds);

/* The first and the last lines of a report. */
void mdworkbench_print_head(FILE *file, const struct mdworkbench_work *work);
void mdworkbench_print_end(FILE *file, double seconds);

#endif
