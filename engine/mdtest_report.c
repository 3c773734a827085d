#include "mdtest_report.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"
#include "files.h"

static void print_date(FILE *file, const char *event) {
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

FILE *mdtest_report_start(const struct mdtest_work *work) {
  if (world.rank != 0) return NULL;
  FILE *file = create_file(work->output);
  print_date(file, "started");
  fprintf(file, "mdtest-%s was launched with %d total task(s) on %d node(s)\n", ENGINE_VERSION,
          world.size, world.nodes);
  print_quoted(file, work->command);
  fprintf(file, "Nodemap: %s\n", world.nodemap);
  fprintf(file, "%-20s: %s\n", "Path", work->directory);
  char *copy = format_text("%s", work->directory);
  print_file_system(file, dirname(copy));
  free(copy);
  fprintf(file, "V-0: Rank %3d Line %5d Shifting ranks by %d for each phase.\n", world.rank,
          __LINE__, world_node_stride());
  fprintf(file, "%d tasks, %" PRIu64 " files\n", world.size, work->files * (uint64_t)world.size);
  fflush(file);
  return file;
}

static const char *const rows[] = {"File creation", "File stat",     "File read",
                                   "File removal",  "Tree creation", "Tree removal"};
#define ROWS 6
#define TREE_CREATE 4
#define TREE_REMOVE 5

static void print_summary(FILE *file, const char *title, const double values[ROWS]) {
  fprintf(file, "\nSUMMARY %s: (of 1 iterations)\n", title);
  fputs("   Operation                     Max            Min           Mean        Std Dev\n"
        "   ---------                     ---            ---           ----        -------\n",
        file);
  for (int i = 0; i < ROWS; i++)
    fprintf(file, "   %-18s %18.3f %14.3f %14.3f %14.3f\n", rows[i], values[i], values[i],
            values[i], 0.0);
}

/* One ",rate,time" for each of the eleven tests there are; empty where this phase did not do it. */
static void csv_cells(FILE *file, int from, int to, const double rates[ROWS],
                      const double times[ROWS]) {
  for (int i = from; i < to; i++)
    if (times[i] > 0)
      fprintf(file, ",%.10e,%.10e", rates[i], times[i]);
    else
      fputs(",,", file);
}

#define DIRECTORY_TESTS 5
static void write_csv(const struct mdtest_work *work, const double rates[ROWS],
                      const double times[ROWS], uint64_t items, const double *rank_times) {
  static const char *const tests[] = {"Directory creation", "Directory stat", "Directory read",
                                      "Directory rename", "Directory removal"};
  FILE *file = create_file(work->csv);
  fputs("rank,items", file);
  for (int i = 0; i < DIRECTORY_TESTS; i++) fprintf(file, ",rate-%s,time-%s", tests[i], tests[i]);
  for (int i = 0; i < ROWS; i++) fprintf(file, ",rate-%s,time-%s", rows[i], rows[i]);
  fprintf(file, "\nall,%" PRIu64, items);
  for (int i = 0; i < DIRECTORY_TESTS; i++) fputs(",,", file);
  csv_cells(file, 0, ROWS, rates, times);
  for (int rank = 0; rank < world.size; rank++) {
    double own_rates[ROWS] = {0}, own_times[ROWS] = {0};
    own_times[work->operation] = rank_times[rank];
    if (rank_times[rank] > 0) own_rates[work->operation] = (double)items / rank_times[rank];
    fprintf(file, "\n%d,", rank);
    for (int i = 0; i < DIRECTORY_TESTS; i++) fputs(",,", file);
    csv_cells(file, 0, TREE_CREATE, own_rates, own_times);
  }
  fputc('\n', file);
  fclose(file);
}

void mdtest_report_end(FILE *file, const struct mdtest_work *work,
                       const struct mdtest_result *result, const struct mdtest_times *times,
                       const struct mdtest_counts *counts) {
  double *all = NULL;
  if (world.rank == 0) all = need_memory(malloc(sizeof(double) * (size_t)world.size));
  MPI_Gather(&times->own, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double table_rates[ROWS] = {0}, csv_rates[ROWS] = {0}, seconds[ROWS] = {0};
  seconds[work->operation] = result->time;
  seconds[TREE_CREATE] = reduce_double(times->tree_create, MPI_MAX);
  seconds[TREE_REMOVE] = reduce_double(times->tree_remove, MPI_MAX);
  if (world.rank != 0) return;
  table_rates[work->operation] = csv_rates[work->operation] = result->rate;
  for (int i = TREE_CREATE; i < ROWS; i++)
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
  print_date(file, "finished");
  fclose(file);
  write_csv(work, csv_rates, seconds, counts->items, all);
  free(all);
}
