#include "ior_report.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "common.h"
#include "files.h"

const char *ior_date(void) {
  static char text[32];
  time_t seconds = time(NULL);
  strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", localtime(&seconds));
  return text;
}

uint64_t ior_planned_bytes(const struct ior_work *work) {
  return work->block * work->segments * (uint64_t)world.size;
}

const char *ior_task_order(const struct ior_work *work) {
  if (work->random_tasks) return work->random_tasks > 1 ? "shuffled tasks" : "random task offset";
  return work->shift ? "constant task offset" : "no tasks offsets";
}

static void print_field(FILE *file, const char *name, const char *value) {
  fprintf(file, "%-20s: %s\n", name, value);
}

static void print_count(FILE *file, const char *name, long long value) {
  fprintf(file, "%-20s: %lld\n", name, value);
}

static void print_options(FILE *file, const struct ior_work *work) {
  fputs("\nOptions: \n", file);
  const struct io_interface *interface = io_interface_of(work->io.kind);
  print_field(file, "api", interface->name);
  print_field(file, "apiVersion", interface->version);
  print_field(file, "test filename", work->file);
  print_field(file, "access", work->file_per_process ? "file-per-process" : "single-shared-file");
  print_field(file, "type", work->io.collective ? "collective" : "independent");
  print_count(file, "segments", (long long)work->segments);
  print_field(file, "ordering in a file", work->random || work->shuffle ? "random" : "sequential");
  print_field(file, "ordering inter file", ior_task_order(work));
  if (work->shift) print_count(file, "task offset", work->shift);
  if (work->random_tasks) print_count(file, "task order seed", work->task_seed);
  print_count(file, "nodes", world.nodes);
  print_count(file, "tasks", world.size);
  print_count(file, "clients per node", world.node0_ranks);
  print_field(file, "memoryBuffer", "CPU");
  print_field(file, "dataAccess", "CPU");
  print_count(file, "GPUDirect", 0);
  print_count(file, "repetitions", work->repetitions ? work->repetitions : 1);
  print_field(file, "xfersize", human_size((double)work->transfer));
  print_field(file, "blocksize", human_size((double)work->block));
  print_field(file, "aggregate filesize", human_size((double)ior_planned_bytes(work)));
  if (work->verbosity) print_count(file, "verbose", work->verbosity);
  if (work->stonewall) {
    print_count(file, "stonewallingTime", work->stonewall);
    print_count(file, "stoneWallingWearOut", !work->no_wear_out);
  }
}

void ior_print_head(FILE *file, const struct ior_work *work) {
  struct utsname machine;
  char *first_file = ior_path(work, 0);
  uname(&machine);
  fprintf(file, "IOR-%s: embedded engine, MPI Coordinated Test of Parallel I/O\n", ENGINE_VERSION);
  print_field(file, "Began", ior_date());
  print_field(file, "Command line", work->command);
  fprintf(file, "%-20s: %s %s\n", "Machine", machine.sysname, machine.nodename);
  print_count(file, "TestID", 0);
  print_field(file, "StartTime", ior_date());
  print_field(file, "Path", first_file);
  char *copy = format_text("%s", work->file);
  print_file_system(file, dirname(copy));
  free(copy);
  free(first_file);
  print_options(file, work);
  fputs("\nResults: \n", file);
  fflush(file);
}

FILE *ior_report_start(const struct ior_work *work) {
  if (world.rank != 0 || !work->output) return NULL;
  FILE *file = create_file(work->output);
  ior_print_head(file, work);
  return file;
}

void ior_print_number(FILE *file, double value) {
  fprintf(file, "%-10.*f ", value < 1 ? 6 : value < 3600 ? 2 : 0, value);
}

static uint64_t size_of_files(const struct ior_work *work) {
  struct stat status;
  char *first_file = ior_path(work, 0);
  uint64_t size = stat(first_file, &status) ? 0 : (uint64_t)status.st_size;
  free(first_file);
  return work->file_per_process ? size * (uint64_t)world.size : size;
}

void ior_print_columns(FILE *file) {
  fputs("\naccess    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   "
        "close(s)   total(s)   iter\n"
        "------    ---------  ----       ----------  ---------- ---------  --------   --------   "
        "--------   --------   ----\n",
        file);
}

double ior_rate(const struct ior_result *result) {
  return result->transfer > 0 ? (double)result->transfers / result->transfer : 0;
}

/* What a reader of the row below must know first. */
static void print_notes(FILE *file, const struct ior_work *work, const struct ior_result *result) {
  if (result->errors)
    fprintf(file,
            "WARNING: Incorrect data on read (%" PRIu64 " errors found).\n\n"
            "Used Time Stamp %" PRId32 " (0x%" PRIx32 ") for Data Signature\n",
            result->errors, work->seed, (uint32_t)work->seed);
  if (work->stonewall)
    fprintf(file,
            "stonewalling pairs accessed min: %" PRIu64 " max: %" PRIu64
            " -- min data: %.1f GiB mean data: %.1f GiB time: %.1fs\n",
            result->stonewall_min, result->stonewall_max,
            (double)(result->stonewall_min * work->transfer) / GIB,
            (double)result->stonewall_bytes / world.size / GIB, result->stonewall_time);
  if (result->bytes == ior_planned_bytes(work)) return;
  fprintf(file, "WARNING: Expected aggregate file size       = %" PRIu64 "\n",
          ior_planned_bytes(work));
  fprintf(file, "WARNING: Stat() of aggregate file size      = %" PRIu64 "\n", size_of_files(work));
  fprintf(file, "WARNING: Using actual aggregate bytes moved = %" PRIu64 "\n", result->bytes);
  if (work->stonewall) fputs("WARNING: Maybe caused by deadlineForStonewalling\n", file);
}

void ior_print_result(FILE *file, const struct ior_work *work, const struct ior_result *result,
                      int iteration) {
  print_notes(file, work, result);
  fprintf(file, "%-10s", work->write ? "write" : "read");
  ior_print_number(file, result->bandwidth / (1 << 20));
  ior_print_number(file, ior_rate(result));
  ior_print_number(file, result->latency);
  fputc(' ', file);
  ior_print_number(file, (double)work->block / 1024);
  ior_print_number(file, (double)work->transfer / 1024);
  ior_print_number(file, result->open);
  ior_print_number(file, result->transfer);
  ior_print_number(file, result->close);
  ior_print_number(file, result->time);
  fprintf(file, "%-4d\n", iteration);
  if (work->random)
    fputs("Pairs deadlineForStonewallingaccessed: 0\n", file); /* upstream's words */
}

static void write_csv(const struct ior_work *work, const double *times, uint64_t bytes) {
  FILE *file = work->csv_goes_on ? fopen(work->csv, "a") : create_file(work->csv);
  if (!file) fail_call("open", work->csv, -1, errno);
  if (!work->csv_goes_on)
    fputs("access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n", file);
  double share = (double)bytes / world.size;
  for (int rank = 0; rank < world.size; rank++) {
    double whole = times[2 * rank], transfers = times[2 * rank + 1];
    fprintf(file, "%s,%d,%.10e,%.10e,%.10e,%.10e\n", work->write ? "write" : "read", rank, whole,
            transfers, whole > 0 ? share / whole : 0, transfers > 0 ? share / transfers : 0);
  }
  close_file(file, work->csv);
}

void ior_report_end(FILE *file, const struct ior_work *work, const struct ior_result *result,
                    const struct ior_times *times) {
  if (file) {
    ior_print_columns(file);
    ior_print_result(file, work, result, 0);
    close_file(file, work->output);
  }
  if (!work->csv) return;
  double own[2] = {times->close_end - times->open_start,
                   times->transfer_end - times->transfer_start};
  double *all = NULL;
  if (world.rank == 0) all = need_memory(malloc(sizeof own * (size_t)world.size));
  MPI_Gather(own, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, world.comm);
  if (world.rank == 0) write_csv(work, all, result->bytes);
  free(all);
}
