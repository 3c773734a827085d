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

/* What a summary has a row for. */
enum mdtest_row {
  ROW_DIRECTORY_CREATE,
  ROW_DIRECTORY_STAT,
  ROW_DIRECTORY_READ, /* nobody reads directories; upstream's files have its column */
  ROW_DIRECTORY_RENAME,
  ROW_DIRECTORY_REMOVE,
  ROW_FILE_CREATE,
  ROW_FILE_STAT,
  ROW_FILE_READ,
  ROW_FILE_REMOVE,
  ROW_TREE_CREATE,
  ROW_TREE_REMOVE,
  MDTEST_ROWS
};
extern const char *const mdtest_row_names[MDTEST_ROWS];

void mdtest_print_date(FILE *file, const char *event);
/* `title` is "rate (in ops/sec)" or "time (in ms/op)"; the rows follow. */
void mdtest_print_table_head(FILE *file, const char *title, int iterations);
void mdtest_print_file_system(FILE *file, const struct mdtest_work *work);

void mdtest_csv_head(FILE *file);
/* The end of a line: two cells for each row up to `rows`; empty where times[i] is 0. */
void mdtest_csv_cells(FILE *file, int rows, const double rates[MDTEST_ROWS],
                      const double times[MDTEST_ROWS]);

FILE *mdtest_report_start(const struct mdtest_work *work);
void mdtest_report_end(FILE *file, const struct mdtest_work *work,
                       const struct mdtest_result *result, const struct mdtest_times *times,
                       const struct mdtest_counts *counts);

#endif
