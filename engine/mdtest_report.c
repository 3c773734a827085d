#include "mdtest_report.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"
#include "files.h"

void mdtest_print_date(FILE *file, const char *event) {
  char text[32];
  time_t seconds = time(NULL);
  strftime(text, sizeof text, "%m/%d/%Y %H:%M:%S", localtime(&seconds));
  fprintf(file, "-- %s at %s --\n\n", event, text);
}

static void print_quoted(FILE *file, const char *command) {
  char *copy = format_text("%s", command);
  const char *word = strtok(copy, " ");
  fprintf(file, "Command line used: %s", word ? word : "");
  while ((word = strtok(NULL, " "))) fprintf(file, " '%s'", word);
  fputc('\n', file);
  free(copy);
}

void mdtest_print_file_system(FILE *file, const struct mdtest_work *work) {
  fprintf(file, "%-20s: %s\n", "Path", work->directory);
  char *copy = format_text("%s", work->directory);
  print_file_system(file, dirname(copy));
  free(copy);
}

FILE *mdtest_report_start(const struct mdtest_work *work) {
  if (world.rank != 0 || !work->output) return NULL;
  FILE *file = create_file(work->output);
  mdtest_print_date(file, "started");
  fprintf(file, "mdtest-%s was launched with %d total task(s) on %d node(s)\n", ENGINE_VERSION,
          world.size, world.nodes);
  print_quoted(file, work->command);
  fprintf(file, "Nodemap: %s\n", world.nodemap);
  mdtest_print_file_system(file, work);
  fprintf(file, "V-0: Rank %3d Line %5d Shifting ranks by %d for each phase.\n", world.rank,
          __LINE__, world_node_stride());
  fprintf(file, "%d tasks, %" PRIu64 " files\n", world.size, work->files * (uint64_t)world.size);
  fflush(file);
  return file;
}

const char *const mdtest_row_names[MDTEST_ROWS] = {
    "Directory creation", "Directory stat", "Directory read", "Directory rename",
    "Directory removal",  "File creation",  "File stat",      "File read",
    "File removal",       "Tree creation",  "Tree removal"};

void mdtest_print_table_head(FILE *file, const char *title, int iterations) {
  fprintf(file, "\nSUMMARY %s: (of %d iterations)\n", title, iterations);
  fputs("   Operation                     Max            Min           Mean        Std Dev\n"
        "   ---------                     ---            ---           ----        -------\n",
        file);
}

static void print_summary(FILE *file, const char *title, const double values[MDTEST_ROWS]) {
  mdtest_print_table_head(file, title, 1);
  for (int i = ROW_FILE_CREATE; i < MDTEST_ROWS; i++)
    fprintf(file, "   %-18s %18.3f %14.3f %14.3f %14.3f\n", mdtest_row_names[i], values[i],
            values[i], values[i], 0.0);
}

void mdtest_csv_head(FILE *file) {
  fputs("rank,items", file);
  for (int i = 0; i < MDTEST_ROWS; i++)
    fprintf(file, ",rate-%s,time-%s", mdtest_row_names[i], mdtest_row_names[i]);
  fputc('\n', file);
}

void mdtest_csv_cells(FILE *file, int rows, const double rates[MDTEST_ROWS],
                      const double times[MDTEST_ROWS]) {
  for (int i = 0; i < rows; i++)
    if (times[i] > 0)
      fprintf(file, ",%.10e,%.10e", rates[i], times[i]);
    else
      fputs(",,", file);
  fputc('\n', file);
}

static void write_csv(const struct mdtest_work *work, const double rates[MDTEST_ROWS],
                      const double times[MDTEST_ROWS], uint64_t items, const double *rank_times) {
  int row = ROW_FILE_CREATE + (int)work->operation;
  FILE *file = create_file(work->csv);
  mdtest_csv_head(file);
  fprintf(file, "all,%" PRIu64, items);
  mdtest_csv_cells(file, MDTEST_ROWS, rates, times);
  for (int rank = 0; rank < world.size; rank++) {
    double own_rates[MDTEST_ROWS] = {0}, own_times[MDTEST_ROWS] = {0};
    own_times[row] = rank_times[rank];
    if (rank_times[rank] > 0) own_rates[row] = (double)items / rank_times[rank];
    fprintf(file, "%d,", rank);
    mdtest_csv_cells(file, ROW_TREE_CREATE, own_rates, own_times);
  }
  close_file(file, work->csv);
}

void mdtest_report_end(FILE *file, const struct mdtest_work *work,
                       const struct mdtest_result *result, const struct mdtest_times *times,
                       const struct mdtest_counts *counts) {
  if (!work->output) return;
  int row = ROW_FILE_CREATE + (int)work->operation;
  double *all = NULL;
  if (world.rank == 0) all = need_memory(malloc(sizeof(double) * (size_t)world.size));
  MPI_Gather(&times->own, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, world.comm);
  double table_rates[MDTEST_ROWS] = {0}, csv_rates[MDTEST_ROWS] = {0}, seconds[MDTEST_ROWS] = {0};
  seconds[row] = result->time;
  seconds[ROW_TREE_CREATE] = reduce_double(times->tree_create, MPI_MAX);
  seconds[ROW_TREE_REMOVE] = reduce_double(times->tree_remove, MPI_MAX);
  if (world.rank != 0) return;
  table_rates[row] = csv_rates[row] = result->rate;
  for (int i = ROW_TREE_CREATE; i < MDTEST_ROWS; i++)
    if (seconds[i] > 0) {
      table_rates[i] = 1 / seconds[i];
      csv_rates[i] = world.size / seconds[i];
    }
  if (work->stonewall)
    fprintf(file, "Continue stonewall hit min: %" PRIu64 " max: %" PRIu64 " avg: %.1f \n\n",
            counts->stonewall_min, counts->stonewall_max,
            (double)counts->stonewall_total / world.size);
  print_summary(file, "rate (in ops/sec)", table_rates);
  print_summary(file, "time (in ms/op)", seconds);
  mdtest_print_date(file, "finished");
  close_file(file, work->output);
  write_csv(work, csv_rates, seconds, counts->items, all);
  free(all);
}
