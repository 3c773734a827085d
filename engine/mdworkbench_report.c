#include "mdworkbench_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"
#include "files.h"

static void print_time(FILE *file) {
  char text[32];
  time_t seconds = time(NULL);
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", localtime(&seconds));
  fprintf(file, "time: %s\n", text);
}

void mdworkbench_print_head(FILE *file, const struct mdworkbench_work *work) {
  char *copy = format_text("%s", work->command), *rest;
  fprintf(file, "Args: %s", strtok_r(copy, " ", &rest));
  for (const char *word; (word = strtok_r(NULL, " ", &rest));) fprintf(file, " \"%s\"", word);
  free(copy);
  uint64_t files = (uint64_t)world.size * work->sets;
  fprintf(file, "\nNodemap: %s\n", world.nodemap);
  fprintf(file, "MD-Workbench total objects: %" PRIu64 " workingset size: %.3f MiB (version: %s) ",
          files * (work->precreated + (uint64_t)work->iterations * work->files),
          (double)(files * work->precreated * work->bytes) / (1 << 20), ENGINE_VERSION);
  print_time(file);
}

FILE *mdworkbench_report_start(const struct mdworkbench_work *work) {
  if (world.rank != 0 || work->silent) return NULL;
  FILE *file = work->output ? create_file(work->output) : stdout;
  if (!work->in_sequence) mdworkbench_print_head(file, work);
  return file;
}

static void print_latency(FILE *file, const struct mdworkbench_work *work,
                          const struct histogram *latency) {
  static const char *const names[MDW_OPERATIONS] = {"read", "stat", "create", "delete"};
  static const double shares[] = {0, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
  for (int i = 0; i < MDW_OPERATIONS; i++) {
    bool used = work->step == MDWORKBENCH_BENCH    ? i < MDW_CREATE || !work->read_only
                : work->step == MDWORKBENCH_CREATE ? i == MDW_CREATE
                                                   : i == MDW_REMOVE;
    if (!used) continue;
    fprintf(file, " %s(", names[i]);
    for (int j = 0; j < 7; j++)
      fprintf(file, "%s%.4es", j ? ", " : "", histogram_quantile(&latency[i], shares[j]));
    fputc(')', file);
  }
}

/* What one line tells of one rank or of all. */
struct line {
  double time, objects, sets, operations, errors;
};

static double slowest_operation(const struct histogram *latency) {
  uint64_t max = 0;
  for (int i = 0; i < MDW_OPERATIONS; i++)
    if (latency[i].max > max) max = latency[i].max;
  return 1e-9 * (double)max;
}

static void print_rates(FILE *file, const struct mdworkbench_work *work, const struct line *line,
                        const struct histogram *latency) {
  double time = line->time > 0 ? line->time : 1e-9;
  double mib = line->objects * (double)work->bytes / (1 << 20) / time;
  fprintf(file, " rate:%.1f iops/s", line->operations / time);
  if (work->step == MDWORKBENCH_CREATE)
    fprintf(file, " dsets: %.0f objects:%.0f rate:%.3f dset/s rate:%.1f obj/s tp:%.1f MiB/s",
            line->sets, line->objects, line->sets / time, line->objects / time, mib);
  else if (work->step == MDWORKBENCH_BENCH)
    fprintf(file, " objects:%.0f rate:%.1f obj/s tp:%.1f MiB/s", line->objects,
            line->objects / time, 2 * mib);
  else
    fprintf(file, " objects:%.0f dsets: %.0f rate:%.1f obj/s rate:%.3f dset/s", line->objects,
            line->sets, line->objects / time, line->sets / time);
  fprintf(file, " op-max:%.4es (%.0f errs)", slowest_operation(latency), line->errors);
  print_latency(file, work, latency);
  fputc('\n', file);
}

static const char *step_name(const struct mdworkbench_work *work) {
  return work->step == MDWORKBENCH_CREATE  ? "precreate"
         : work->step == MDWORKBENCH_BENCH ? "benchmark"
                                           : "cleanup";
}

static void print_all(FILE *file, const struct mdworkbench_work *work, const struct line *lines,
                      const struct histogram *latency) {
  struct line sum = {0};
  double min = lines[0].time, mean = 0, square = 0;
  for (int rank = 0; rank < world.size; rank++) {
    const struct line *line = &lines[rank];
    if (line->time > sum.time) sum.time = line->time;
    if (line->time < min) min = line->time;
    mean += line->time / world.size;
    sum.objects += line->objects, sum.sets += line->sets;
    sum.operations += line->operations, sum.errors += line->errors;
  }
  for (int rank = 0; rank < world.size; rank++) square += pow(lines[rank].time - mean, 2);
  fprintf(file, "%s process max:%.2fs min:%.2fs mean: %.2fs balance:%.1f stddev:%.1f",
          step_name(work), sum.time, min, mean, sum.time > 0 ? 100 * min / sum.time : 100,
          world.size > 1 ? sqrt(square / (world.size - 1)) : 0);
  print_rates(file, work, &sum, latency);
}

#define PARTS_TAG 17
/* Histograms are large: one rank's at a time comes to rank 0. */
static void print_ranks(FILE *file, const struct mdworkbench_work *work, const struct line *lines,
                        const struct mdworkbench_part *part) {
  int bytes = (int)(sizeof(struct histogram) * MDW_OPERATIONS);
  if (world.rank != 0) {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, PARTS_TAG, world.comm, MPI_STATUS_IGNORE);
    MPI_Send(part->latency, bytes, MPI_BYTE, 0, PARTS_TAG, world.comm);
    return;
  }
  struct histogram *latency = need_memory(malloc((size_t)bytes));
  for (int rank = 0; rank < world.size; rank++) {
    if (rank) {
      MPI_Send(NULL, 0, MPI_BYTE, rank, PARTS_TAG, world.comm);
      MPI_Recv(latency, bytes, MPI_BYTE, rank, PARTS_TAG, world.comm, MPI_STATUS_IGNORE);
    }
    fprintf(file, "%d: %s process max:%.2fs", rank, step_name(work), lines[rank].time);
    print_rates(file, work, &lines[rank], rank ? latency : part->latency);
  }
  free(latency);
}

double mdworkbench_report_part(FILE *file, const struct mdworkbench_work *work,
                               const struct mdworkbench_part *part, struct histogram *latency) {
  struct line own = {part->time, (double)part->objects, (double)part->sets,
                     (double)part->operations, (double)part->errors};
  struct line *lines = NULL;
  if (world.rank == 0) lines = need_memory(malloc(sizeof own * (size_t)world.size));
  MPI_Gather(&own, 5, MPI_DOUBLE, lines, 5, MPI_DOUBLE, 0, world.comm);
  for (int i = 0; i < MDW_OPERATIONS; i++) histogram_merge(&part->latency[i], &latency[i]);
  if (file) print_all(file, work, lines, latency);
  if (!work->all_ranks_as_one && !work->silent) print_ranks(file, work, lines, part);
  free(lines);
  return reduce_double(part->time, MPI_MAX);
}

void mdworkbench_print_end(FILE *file, double seconds) {
  fprintf(file, "Total runtime: %.0fs ", seconds);
  print_time(file);
}

void mdworkbench_report_end(FILE *file, const struct mdworkbench_work *work, double seconds) {
  if (!file) return;
  if (!work->in_sequence) mdworkbench_print_end(file, seconds);
  if (file != stdout) close_file(file, work->output);
}
