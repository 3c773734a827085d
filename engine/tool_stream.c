/* stream: a fixed volume in one piece, larger than the caches, and who of the ranks was how fast.
 */
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "api.h"
#include "common.h"
#include "files.h"
#include "ior.h"
#include "ior_report.h"
#include "tool_arguments.h"
#include "tool_paths.h"
#include "tools.h"

#define MIB ((double)(1 << 20))

static struct {
  bool write, read, direct, shared, keep, verify, other_node;
  const char *api, *file, *packet, *csv;
  uint64_t per_rank, total, transfer;
  int64_t seed;
} given = {.api = "POSIX", .file = "testFile", .packet = "random", .transfer = 1 << 20};

static const struct argument arguments[] = {
    {"-w", NULL, NULL, ARGUMENT_FLAG, &given.write, 0, 0, "write (without -w and -r: both)"},
    {"-r", NULL, NULL, ARGUMENT_FLAG, &given.read, 0, 0,
     "read what this call or one with -k wrote"},
    {"-d", "--direct", NULL, ARGUMENT_FLAG, &given.direct, 0, 0, "direct I/O, past the page cache"},
    {"-f", "--shared", NULL, ARGUMENT_FLAG, &given.shared, 0, 0,
     "one file for all ranks; without it a file a rank"},
    {"-C", NULL, NULL, ARGUMENT_FLAG, &given.other_node, 0, 0, "read what the next node wrote"},
    {"-R", NULL, NULL, ARGUMENT_FLAG, &given.verify, 0, 0,
     "compare every byte that is read, inside the time"},
    {"-k", NULL, NULL, ARGUMENT_FLAG, &given.keep, 0, 0,
     "keep the files; without it a call that does not break off removes what it wrote"},
    {"-s", "--per-rank", NULL, ARGUMENT_SIZE, &given.per_rank, 0, 0, "volume of each rank"},
    {"-n", "--total", NULL, ARGUMENT_SIZE, &given.total, 0, 0,
     "volume of all ranks, in place of -s"},
    {"-t", NULL, NULL, ARGUMENT_SIZE, &given.transfer, 0, 0, "bytes of a transfer"},
    {"-o", NULL, NULL, ARGUMENT_TEXT, &given.file, 0, 0, "the file, or its beginning"},
    {"-a", NULL, NULL, ARGUMENT_TEXT, &given.api, 0, 0, "POSIX, MPIIO or IOURING"},
    {"-G", NULL, NULL, ARGUMENT_NUMBER, &given.seed, INT32_MIN, INT32_MAX, "seed of the data"},
    {"-l", "--dataPacketType", NULL, ARGUMENT_TEXT, &given.packet, 0, 0,
     "timestamp, offset, incompressible or random"},
    {"--csv", NULL, NULL, ARGUMENT_OUTPUT, &given.csv, 0, 0, "file for a row a rank and direction"},
    {.value = NULL}};

static const struct tool tool = {
    .name = "stream", .synopsis = "stream -s SIZE | -n SIZE [options]", .arguments = arguments};

/* What each rank writes: whole transfers, at least as much as was asked for. */
static uint64_t volume_of_rank(void) {
  uint64_t ranks = (uint64_t)world.size, transfer = given.transfer;
  uint64_t asked = given.per_rank ? given.per_rank : (given.total + ranks - 1) / ranks;
  uint64_t transfers = asked / transfer + (asked % transfer != 0);
  if (transfers > (uint64_t)INT64_MAX / transfer / ranks)
    refuse("stream: %" PRIu64 " bytes for %d ranks is more than a file can hold", asked,
           world.size);
  return transfers * transfer;
}

static struct ior_work work_given(void) {
  if (!given.per_rank == !given.total)
    refuse("stream: how much? Either -s, the volume of each rank, or -n, of all of them");
  if (!given.transfer || given.transfer > INT32_MAX)
    refuse("stream: -t %" PRIu64 ": a transfer has 1 byte or more, and less than 2 GiB",
           given.transfer);
  bool uring = !strcasecmp(given.api, "IOURING");
  const char *direct = !given.direct ? "" : uring ? " --iouring.odirect" : " --posix.odirect";
  char *api = format_text("%s%s", given.api, direct);
  struct ior_work work = {
      .file = given.file,
      .file_per_process = !given.shared,
      .io = api_parse(api, "stream"),
      .transfer = given.transfer,
      .block = volume_of_rank(),
      .segments = 1,
      .shift = given.other_node,
      .seed = (int32_t)given.seed,
      .no_barriers = true, /* each rank goes at its own pace */
  };
  free(api);
  if (!packet_parse(given.packet, &work.packet))
    refuse("stream: --dataPacketType = %s: there are timestamp, offset, incompressible and random",
           given.packet);
  return work;
}

/* What one rank did. */
struct row {
  double time;
  uint64_t bytes;
  char host[sizeof world.host];
};

/* Nothing is rounded away: "40 MiB", "1500 KiB", "47008 bytes". To be freed. */
enum unit { BYTES, KIBIBYTES, MEBIBYTES, GIBIBYTES, TEBIBYTES };
static char *exact_size(uint64_t bytes, enum unit largest) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  enum unit unit = BYTES;
  for (; unit < largest && bytes && bytes % 1024 == 0; unit++) bytes /= 1024;
  return format_text("%" PRIu64 " %s", bytes, units[unit]);
}

static void tell_rows(FILE *out, const struct row *rows) {
  double sum = 0;
  for (int rank = 0; rank < world.size; rank++) {
    double bandwidth = rows[rank].time > 0 ? (double)rows[rank].bytes / rows[rank].time : 0;
    char *volume = exact_size(rows[rank].bytes, MEBIBYTES);
    fprintf(out, " Rank=%05d: host=%s total IO = %s time = %.3f s IO bandwidth = %.3f MiB/s\n",
            rank, rows[rank].host, volume, rows[rank].time, bandwidth / MIB);
    sum += bandwidth;
    free(volume);
  }
  fprintf(out, " Naive linear bandwidth summation = %.3f MiB/s\n", sum / MIB);
}

static void add_to_csv(FILE *csv, const struct row *rows, bool write, uint64_t errors) {
  for (int rank = 0; rank < world.size; rank++)
    fprintf(csv, "%s,%d,%s,%" PRIu64 ",%.9f,%.3f\n", write ? "write" : "read", rank,
            rows[rank].host, rows[rank].bytes, rows[rank].time,
            rows[rank].time > 0 ? (double)rows[rank].bytes / rows[rank].time : 0);
  if (errors) fprintf(csv, "%s,errors,%" PRIu64 ",,,\n", write ? "write" : "read", errors);
}

/* One direction. Returns the transfers with wrong data. */
static uint64_t run_direction(struct ior_work *work, FILE *csv) {
  fail_phase_is(work->write ? "stream write" : "stream read");
  struct ior_result result = ior_run(work);
  arguments_record_end(work->write ? "stream write" : "stream read");
  struct row own = {.time = result.own_time, .bytes = result.own_transfers * work->transfer};
  memcpy(own.host, world.host, sizeof own.host);
  struct row *rows = NULL;
  if (world.rank == 0) rows = need_memory(malloc(sizeof own * (size_t)world.size));
  MPI_Gather(&own, (int)sizeof own, MPI_BYTE, rows, (int)sizeof own, MPI_BYTE, 0, world.comm);
  if (world.rank == 0) {
    printf("%s\n", work->write ? "write" : "read");
    tell_rows(stdout, rows);
    printf(" More precise calculation of bandwidth = %.3f MiB/s (%.3f s from the first start to "
           "the last finish)\n",
           result.bandwidth / MIB, result.time);
    if (result.errors)
      printf("WARNING: Incorrect data on read (%" PRIu64 " errors found).\n", result.errors);
  }
  if (csv) add_to_csv(csv, rows, work->write, result.errors);
  free(rows);
  fail_phase_is("stream");
  return result.errors;
}

/* How much memory there is for each byte that this node writes; the smaller it is, the less a cache
 * can help. */
static void warn_of_memory(uint64_t volume) {
  MPI_Comm node;
  int ranks;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double here = (double)volume * ranks;
  int fits = here <= memory, any;
  MPI_Allreduce(&fits, &any, 1, MPI_INT, MPI_MAX, world.comm);
  double most = reduce_double(memory, MPI_MAX);
  if (!any || world.rank != 0) return;
  printf("WARNING: the volume of a node fits in its memory (%.1f of %.1f GiB): caches help, and "
         "this is not what the storage can sustain%s; ask for more than twice the memory\n",
         here / GIB, most / GIB, given.direct ? ", not even with direct I/O" : "");
}

int tool_stream(int argc, char **argv) {
  if (!arguments_parse(&tool, argc, argv)) return 0;
  struct ior_work work = work_given();
  if (given.shared) path_of_file("stream", "-o", given.file);
  path_apart("stream", "--csv", given.csv, given.file, !given.shared);
  char *command = arguments_line(argc, argv, "");
  bool both = !given.write && !given.read;
  work.command = command;
  fail_phase_is("stream");
  FILE *csv = NULL;
  if (world.rank == 0) {
    if (given.csv) csv = create_file(given.csv);
    if (csv) fputs("access,rank,host,bytes,time_s,bandwidth_Bps\n", csv);
    printf("stream-%s: embedded engine\nCommand line        : %s\nFile                : %s%s\n",
           ENGINE_VERSION, command, given.file, given.shared ? "" : ".<rank>");
    char *copy = format_text("%s", given.file);
    print_file_system(stdout, dirname(copy));
    free(copy);
    char *transfer = exact_size(work.transfer, TEBIBYTES);
    char *volume = exact_size(work.block, TEBIBYTES);
    char *total = exact_size(ior_planned_bytes(&work), TEBIBYTES);
    printf("Direct I/O          : %s\nTransfer            : %s\nVolume              : %s in total, "
           "%s a rank, %d ranks on %d nodes\n",
           work.io.direct ? "yes" : "no", transfer, total, volume, world.size, world.nodes);
    free(transfer);
    free(volume);
    free(total);
  }
  warn_of_memory(work.block);
  uint64_t errors = 0;
  work.write = true;
  if (given.write || both) run_direction(&work, csv);
  work.write = false;
  work.verify = given.verify;
  if (given.read || both || given.verify) errors = run_direction(&work, csv);
  if ((given.write || both) && !given.keep) ior_remove_files(&work);
  if (csv) close_file(csv, given.csv);
  free(command);
  return errors ? 1 : 0;
}
