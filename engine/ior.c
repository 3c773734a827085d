#include "ior.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "ior_report.h"

/* The file of this rank while it is open. */
struct target {
  const struct ior_work *work;
  char *path;
  int fd;
  int owner; /* the rank that wrote what is read here */
  struct packet packet;
  unsigned char *read_buffer;
  uint64_t random_state;
  uint64_t random_slots; /* multiples of the transfer size that the file holds */
  uint64_t errors;
};

static char *path_of(const struct ior_work *work, int rank) {
  if (!work->file_per_process) return format_text("%s", work->file);
  if (!work->unique_directories) return format_text("%s.%08d", work->file, rank);
  const char *name = strrchr(work->file, '/');
  return format_text("%.*s/%d%s.%08d", (int)(name - work->file), work->file, rank, name, rank);
}

/* Outside the timed region: the writer starts without the file, in a directory that is there. */
static void clear_way(const struct target *target) {
  const struct ior_work *work = target->work;
  if (!work->write) return;
  if (work->unique_directories && work->file_per_process) {
    char *copy = format_text("%s", target->path);
    if (mkdir(dirname(copy), 0775) && errno != EEXIST) fail_call("mkdir", copy, -1, errno);
    free(copy);
  }
  if (!work->file_per_process && world.rank != 0) return;
  if (access(target->path, F_OK)) return;
  printf("WARNING: The file \"%s\" exists already and will be deleted\n", target->path);
  if (unlink(target->path)) fail_call("unlink", target->path, -1, errno);
}

static void open_target(struct target *target) {
  int flags = target->work->write ? O_RDWR | O_CREAT : O_RDONLY;
#ifdef O_DIRECT
  if (target->work->direct) flags |= O_DIRECT;
#endif
  target->fd = open(target->path, flags, 0664);
  if (target->fd < 0) fail_call("open", target->path, -1, errno);
}

static uint64_t offset_of(const struct target *target, uint64_t transfer) {
  const struct ior_work *work = target->work;
  if (work->file_per_process) return transfer * work->transfer;
  uint64_t per_block = work->block / work->transfer;
  uint64_t segment = transfer / per_block, in_block = transfer % per_block;
  return (segment * (uint64_t)world.size + (uint64_t)target->owner) * work->block +
         in_block * work->transfer;
}

static void write_transfer(struct target *target, uint64_t offset) {
  size_t done = 0, size = target->work->transfer;
  packet_at(&target->packet, offset);
  if (lseek(target->fd, (off_t)offset, SEEK_SET) < 0)
    fail_call("lseek", target->path, (int64_t)offset, errno);
  while (done < size) {
    ssize_t moved = write(target->fd, target->packet.data + done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) fail_call("write", target->path, (int64_t)(offset + done), errno);
    if (moved == 0) fail_call("write", target->path, (int64_t)(offset + done), ENOSPC);
    done += (size_t)moved;
  }
}

static void read_transfer(struct target *target, uint64_t offset) {
  size_t done = 0, size = target->work->transfer;
  if (lseek(target->fd, (off_t)offset, SEEK_SET) < 0)
    fail_call("lseek", target->path, (int64_t)offset, errno);
  while (done < size) {
    ssize_t moved = read(target->fd, target->read_buffer + done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) fail_call("read", target->path, (int64_t)(offset + done), errno);
    if (moved == 0)
      fail("read \"%s\" at offset %" PRIu64 ": the file ends before the data that was written",
           target->path, offset + done);
    done += (size_t)moved;
  }
}

static void verify_transfer(struct target *target, uint64_t offset) {
  size_t where;
  if (packet_matches(&target->packet, target->read_buffer, offset, &where)) return;
  if (target->errors++ == 0)
    printf("WARNING: rank %d on %s: wrong data in \"%s\" at offset %" PRIu64 "\n", world.rank,
           world.host, target->path, offset + where);
}

/* xorshift64*: cheap next to a read, and the same offsets again for the same seed and rank. */
static uint64_t random_offset(struct target *target) {
  uint64_t x = target->random_state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  target->random_state = x;
  return (x * 0x2545f4914f6cdd1dULL >> 11) % target->random_slots * target->work->transfer;
}

static void prepare_random(struct target *target) {
  struct stat status;
  if (stat(target->path, &status)) fail_call("stat", target->path, -1, errno);
  target->random_slots = (uint64_t)status.st_size / target->work->transfer;
  if (!target->random_slots)
    fail("read \"%s\": the file is smaller than one transfer of %" PRIu64 " bytes", target->path,
         target->work->transfer);
  target->random_state =
      (uint64_t)(uint32_t)target->work->seed << 32 | ((uint32_t)world.rank * 2654435761U | 1);
}

static inline void do_transfer(struct target *target, uint64_t number) {
  const struct ior_work *work = target->work;
  uint64_t offset = work->random ? random_offset(target) : offset_of(target, number);
  if (work->write) {
    write_transfer(target, offset);
    return;
  }
  read_transfer(target, offset);
  if (work->verify) verify_transfer(target, offset);
}

/* How many transfers this rank is to do: all of its share, or as many as the write phase recorded.
 */
static uint64_t planned_transfers(const struct ior_work *work) {
  uint64_t planned = work->block / work->transfer * work->segments;
  if (work->write || !work->count_file) return planned;
  int64_t count = -1;
  if (world.rank == 0) count = read_count(work->count_file);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (count < 0)
    refuse("%s holds no count of transfers: the write phase must run first", work->count_file);
  return (uint64_t)count < planned ? (uint64_t)count : planned;
}

/* Transfers until the stonewall, agrees on the largest count of a rank, and wears out up to it. */
static uint64_t run_transfers(struct target *target, uint64_t planned, double start,
                              struct ior_counts *counts, struct ior_result *result) {
  const struct ior_work *work = target->work;
  uint64_t done = 0;
  while (done < planned) {
    do_transfer(target, done++);
    if (work->stonewall && now() - start > work->stonewall) break;
  }
  if (!work->stonewall) return done;
  counts->stonewall_max = reduce_count(done, MPI_MAX);
  result->stonewall_time = now() - start;
  counts->stonewall_min = reduce_count(done, MPI_MIN);
  counts->stonewall_total = reduce_count(done, MPI_SUM);
  result->stonewall_bytes = counts->stonewall_total * work->transfer;
  while (done < counts->stonewall_max) do_transfer(target, done++);
  return done;
}

static void open_packet(struct target *target) {
  const struct ior_work *work = target->work;
  packet_make(&target->packet, work->packet, work->seed, target->owner, work->transfer);
  if (work->write) return;
  void *buffer = NULL;
  if (posix_memalign(&buffer, 4096, work->transfer)) fail("out of memory");
  target->read_buffer = buffer;
}

struct ior_result ior_run(const struct ior_work *work) {
  struct ior_result result = {0};
  struct ior_counts counts = {0};
  struct ior_times times;
  int shift = work->shift * (world.block_mapping ? world.node0_ranks : 1);
  struct target target = {.work = work, .owner = world.rank};
  if (!work->write && work->file_per_process) target.owner = (world.rank + shift) % world.size;
  if (!work->write && !work->file_per_process && !work->random)
    target.owner = (world.rank + shift) % world.size;
  target.path = path_of(work, target.owner);
  char *first_file = path_of(work, 0);

  uint64_t planned = planned_transfers(work);
  open_packet(&target);
  FILE *report = ior_report_start(work, first_file);
  clear_way(&target);
  if (work->random) prepare_random(&target);

  MPI_Barrier(MPI_COMM_WORLD);
  double zero = now();
  times.open_start = now() - zero;
  open_target(&target);
  times.open_end = now() - zero;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now();
  times.transfer_start = start - zero;
  uint64_t done = run_transfers(&target, planned, start, &counts, &result);
  if (work->write && fsync(target.fd)) fail_call("fsync", target.path, -1, errno);
  times.transfer_end = now() - zero;
  MPI_Barrier(MPI_COMM_WORLD);
  times.close_start = now() - zero;
  if (close(target.fd)) fail_call("close", target.path, -1, errno);
  times.close_end = now() - zero;

  result.time = reduce_double(times.close_end, MPI_MAX) - reduce_double(times.open_start, MPI_MIN);
  counts.transfers = reduce_count(done, MPI_SUM);
  counts.bytes = counts.transfers * work->transfer;
  result.bandwidth = result.time > 0 ? (double)counts.bytes / result.time : 0;
  result.errors = reduce_count(target.errors, MPI_SUM);
  if (work->write && work->count_file && world.rank == 0) write_count(work->count_file, done);
  ior_report_end(report, work, &result, &times, &counts, done, first_file);
  packet_free(&target.packet);
  free(target.read_buffer);
  free(target.path);
  free(first_file);
  return result;
}
