/* How the bulk data workload reports: the text and the CSV file of a phase. */
#ifndef HDB_IOR_REPORT_H
#define HDB_IOR_REPORT_H

#include <stdio.h>

#include "ior.h"

/* One rank's times in seconds since the barrier before the first open. */
struct ior_times {
  double open_start, open_end, transfer_start, transfer_end, close_start, close_end;
};

/* The report of one call, to work->output where there is one; collective. */
FILE *ior_report_start(const struct ior_work *work);
void ior_report_end(FILE *file, const struct ior_work *work, const struct ior_result *result,
                    const struct ior_times *times);

/* Its parts, for those who make several calls. */
void ior_print_head(FILE *file, const struct ior_work *work);
void ior_print_columns(FILE *file);
void ior_print_result(FILE *file, const struct ior_work *work, const struct ior_result *result,
                      int iteration);
/* Left-aligned in ten columns: 6 decimals below 1, 2 below 3600, none above. */
void ior_print_number(FILE *file, double value);

/* Transfers of all ranks in a second of transferring. */
double ior_rate(const struct ior_result *result);

/* "Fri Nov 20 10:01:54 2026". Static storage. */
const char *ior_date(void);
/* Whose data a rank reads, in words. */
const char *ior_task_order(const struct ior_work *work);
uint64_t ior_planned_bytes(const struct ior_work *work);

#endif
