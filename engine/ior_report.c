#include "ior_report.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "common.h"
#include "files.h"

static const char *date(void) {
  static char text[32];
  time_t seconds = time(NULL);
  strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", localtime(&seconds));
  return text;
}

static uint64_t planned_bytes(const struct ior_work *work) {
  return work->block * work->segments * (uint64_t)world.size;
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
  print_field(file, "ordering in a file", work->random ? "random" : "sequential");
  print_field(file, "ordering inter file",
              work->shift ? "constant task offset" : "no tasks offsets");
  if (work->shift) print_count(file, "task offset", work->shift);
  print_count(file, "nodes", world.nodes);
  print_count(file, "tasks", world.size);
  print_count(file, "clients per node", world.node0_ranks);
  print_field(file, "memoryBuffer", "CPU");
  print_field(file, "dataAccess", "CPU");
  print_count(file, "GPUDirect", 0);
  print_count(file, "repetitions", 1);
  print_field(file, "xfersize", human_size((double)work->transfer));
  print_field(file, "blocksize", human_size((double)work->block));
  print_field(file, "aggregate filesize", human_size((double)planned_bytes(work)));
  if (work->stonewall) {
    print_count(file, "stonewallingTime", work->stonewall);
    print_count(file, "stoneWallingWearOut", 1);
  }
}

FILE *ior_report_start(const struct ior_work *work, const char *first_file) {
  if (world.rank != 0) return NULL;
  FILE *file = create_file(work->output);
  struct utsname machine;
  uname(&machine);
  fprintf(file, "IOR-%s: embedded engine, MPI Coordinated Test of Parallel I/O\n", ENGINE_VERSION);
  print_field(file, "Began", date());
  print_field(file, "Command line", work->command);
  fprintf(file, "%-20s: %s %s\n", "Machine", machine.sysname, machine.nodename);
  print_count(file, "TestID", 0);
  print_field(file, "StartTime", date());
  print_field(file, "Path", first_file);
  char *copy = format_text("%s", work->file);
  print_file_system(file, dirname(copy));
  free(copy);
  print_options(file, work);
  fputs("\nResults: \n", file);
  fflush(file);
  return file;
}

/* Left-aligned in ten columns: 6 decimals below 1, 2 below 3600, none above. */
static void print_number(FILE *file, double value) {
  fprintf(file, "%-10.*f ", value < 1 ? 6 : value < 3600 ? 2 : 0, value);
}

static uint64_t size_of_files(const struct ior_work *work, const char *first_file) {
  struct stat status;
  uint64_t size = stat(first_file, &status) ? 0 : (uint64_t)status.st_size;
  return work->file_per_process ? size * (uint64_t)world.size : size;
}

static void print_table(FILE *file, const struct ior_work *work, const struct ior_result *result,
                        const struct ior_times *span, const struct ior_counts *counts,
                        double own_time, uint64_t own_transfers, const char *first_file) {
  fputs("\naccess    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   "
        "close(s)   total(s)   iter\n"
        "------    ---------  ----       ----------  ---------- ---------  --------   --------   "
        "--------   --------   ----\n",
        file);
  double mib = (double)(1 << 20);
  if (result->errors)
    fprintf(file,
            "WARNING: Incorrect data on read (%" PRIu64 " errors found).\n\n"
            "Used Time Stamp %" PRId32 " (0x%" PRIx32 ") for Data Signature\n",
            result->errors, work->seed, (uint32_t)work->seed);
  if (work->stonewall)
    fprintf(file,
            "stonewalling pairs accessed min: %" PRIu64 " max: %" PRIu64
            " -- min data: %.1f GiB mean data: %.1f GiB time: %.1fs\n",
            counts->stonewall_min, counts->stonewall_max,
            (double)(counts->stonewall_min * work->transfer) / GIB,
            (double)result->stonewall_bytes / world.size / GIB, result->stonewall_time);
  if (counts->bytes != planned_bytes(work)) {
    fprintf(file, "WARNING: Expected aggregate file size       = %" PRIu64 "\n",
            planned_bytes(work));
    fprintf(file, "WARNING: Stat() of aggregate file size      = %" PRIu64 "\n",
            size_of_files(work, first_file));
    fprintf(file, "WARNING: Using actual aggregate bytes moved = %" PRIu64 "\n", counts->bytes);
    if (work->stonewall) fputs("WARNING: Maybe caused by deadlineForStonewalling\n", file);
  }
  double transfer_time = span->transfer_end - span->transfer_start;
  fprintf(file, "%-10s", work->write ? "write" : "read");
  print_number(file, result->bandwidth / mib);
  print_number(file, transfer_time > 0 ? (double)counts->transfers / transfer_time : 0);
  print_number(file, own_transfers ? own_time / (double)own_transfers : 0);
  fputc(' ', file);
  print_number(file, (double)work->block / 1024);
  print_number(file, (double)work->transfer / 1024);
  print_number(file, span->open_end - span->open_start);
  print_number(file, transfer_time);
  print_number(file, span->close_end - span->close_start);
  print_number(file, result->time);
  fputs("0   \n", file);
  if (work->random)
    fputs("Pairs deadlineForStonewallingaccessed: 0\n", file); /* upstream's words */
}

static void write_csv(const struct ior_work *work, const double *times, uint64_t bytes) {
  FILE *file = create_file(work->csv);
  fputs("access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n", file);
  double share = (double)bytes / world.size;
  for (int rank = 0; rank < world.size; rank++) {
    double whole = times[2 * rank], transfers = times[2 * rank + 1];
    fprintf(file, "%s,%d,%.10e,%.10e,%.10e,%.10e\n", work->write ? "write" : "read", rank, whole,
            transfers, whole > 0 ? share / whole : 0, transfers > 0 ? share / transfers : 0);
  }
  fclose(file);
}

void ior_report_end(FILE *file, const struct ior_work *work, const struct ior_result *result,
                    const struct ior_times *times, const struct ior_counts *counts,
                    uint64_t own_transfers, const char *first_file) {
  struct ior_times span = {
      reduce_double(times->open_start, MPI_MIN),     reduce_double(times->open_end, MPI_MAX),
      reduce_double(times->transfer_start, MPI_MIN), reduce_double(times->transfer_end, MPI_MAX),
      reduce_double(times->close_start, MPI_MIN),    reduce_double(times->close_end, MPI_MAX)};
  double own[2] = {times->close_end - times->open_start,
                   times->transfer_end - times->transfer_start};
  double *all = NULL;
  if (world.rank == 0) all = need_memory(malloc(sizeof own * (size_t)world.size));
  MPI_Gather(own, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (world.rank != 0) return;
  print_table(file, work, result, &span, counts, own[1], own_transfers, first_file);
  fclose(file);
  write_csv(work, all, counts->bytes);
  free(all);
}
