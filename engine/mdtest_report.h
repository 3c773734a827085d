/* How the metadata workload reports: the text and the CSV file of a phase. */
#ifndef HDB_MDTEST_REPORT_H
#define HDB_MDTEST_REPORT_H

#include <stdio.h>

#include "mdtest.h"

struct mdtest_times {
  double own;         /* this rank's operations, without waiting for the others, s */
  double whole;       /* with sync and the last barrier, s */
  double tree_create; /* s; 0: not done */
  double tree_remove;
};

struct mdtest_counts {
  uint64_t items; /* of a rank */
  uint64_t stonewall_min, stonewall_max, stonewall_total;
};

FILE *mdtest_report_start(const struct mdtest_work *work);
void mdtest_report_end(FILE *file, const struct mdtest_work *work,
                       const struct mdtest_result *result, const struct mdtest_times *times,
                       const struct mdtest_counts *counts);

#endif
