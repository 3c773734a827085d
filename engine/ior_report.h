/* How the bulk data workload reports: the text and the CSV file of a phase. */
#ifndef HDB_IOR_REPORT_H
#define HDB_IOR_REPORT_H

#include <stdio.h>

#include "ior.h"

/* One rank's times in seconds since the barrier before the first open. */
struct ior_times {
  double open_start, open_end, transfer_start, transfer_end, close_start, close_end;
};

struct ior_counts {
  uint64_t transfers; /* of all ranks */
  uint64_t bytes;
  uint64_t stonewall_min, stonewall_max, stonewall_total; /* transfers of a rank at the stonewall */
};

FILE *ior_report_start(const struct ior_work *work, const char *first_file);
void ior_report_end(FILE *file, const struct ior_work *work, const struct ior_result *result,
                    const struct ior_times *times, const struct ior_counts *counts,
                    uint64_t own_transfers, const char *first_file);

#endif
