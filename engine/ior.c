#include "ior.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "ior_operations.h"
#include "ior_order.h"
#include "ior_prefill.h"
#include "ior_report.h"
#include "record.h"

/* The file of this rank, and what this rank has under way in it. */
struct target {
  const struct ior_work *work;
  struct io_file file;
  char *path;
  int owner; /* the rank that wrote what is read here */
  int depth;
  struct io_slot *slots;  /* depth of them */
  struct packet *packets; /* one a slot: what is written, or expected */
  struct io_slot **idle;  /* a stack of those not under way */
  int idle_count;
  struct stonewall wall;
  uint64_t last; /* when the latest transfer ended, ticks */
  FILE *operations;
  struct ior_random random;
  uint64_t errors;
};

char *ior_path(const struct ior_work *work, int rank) {
  if (!work->file_per_process) return format_text("%s", work->file);
  if (!work->unique_directories) return format_text("%s.%08d", work->file, rank);
  const char *name = strrchr(work->file, '/');
  return format_text("%.*s/%d%s.%08d", (int)(name - work->file), work->file, rank, name, rank);
}

/* Outside the timed region: the writer starts without the file, in a directory that is there. What
 * is no file is neither removed nor waited for. */
static void clear_way(const struct target *target) {
  const struct ior_work *work = target->work;
  struct stat status;
  bool there = !stat(target->path, &status);
  bool pipe = there && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
  bool device = there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode));
  if (pipe || (device && work->write && !work->existing))
    fail("\"%s\" is a %s, not a file", target->path, device ? "device" : "pipe");
  if (!work->write) return;
  if (work->unique_directories && work->file_per_process) {
    char *copy = format_text("%s", target->path);
    if (mkdir(dirname(copy), 0775) && errno != EEXIST) fail_call("mkdir", copy, -1, errno);
    free(copy);
  }
  if (work->existing || (!work->file_per_process && world.rank != 0)) return;
  if (!there) return;
  printf("WARNING: The file \"%s\" exists already and will be deleted\n", target->path);
  if (unlink(target->path)) fail_call("unlink", target->path, -1, errno);
}

static void verify(struct target *target, const struct io_slot *slot) {
  size_t where;
  struct packet *expected = &target->packets[slot - target->slots];
  if (packet_matches(expected, slot->buffer, slot->offset, &where)) return;
  if (target->errors++ == 0)
    printf("WARNING: rank %d on %s: wrong data in \"%s\" at offset %" PRIu64 "\n", world.launched,
           world.host, target->path, slot->offset + where);
}

static void finished(struct target *target, struct io_slot *slot) {
  const struct ior_work *work = target->work;
  if (work->sync_each && work->write) target->file.interface->sync(&target->file);
  target->last = ticks_now();
  record_done(work->write ? RECORD_WRITE : RECORD_READ, work->transfer, slot->started,
              target->last);
  if (target->operations) ior_operation(target->operations, work, slot->started, target->last);
  if (work->verify) verify(target, slot);
  target->idle[target->idle_count++] = slot;
}

static void wait_for_one(struct target *target) {
  finished(target, target->file.interface->wait(&target->file));
}

static void wait_for_all(struct target *target) {
  while (target->idle_count < target->depth) wait_for_one(target);
}

/* Begins the transfer of this number, after waiting for a place in the queue. */
static inline void do_transfer(struct target *target, uint64_t number) {
  const struct ior_work *work = target->work;
  if (!target->idle_count) wait_for_one(target);
  struct io_slot *slot = target->idle[--target->idle_count];
  slot->offset = work->random ? ior_random_offset(&target->random, work)
                              : ior_offset(work, target->owner, number);
  if (work->write) packet_at(&target->packets[slot - target->slots], slot->offset);
  slot->started = ticks_now();
  if (target->file.interface->start(&target->file, slot)) finished(target, slot);
}

/* How many transfers this rank is to do: all of its share, or as many as the write phase recorded.
 */
static uint64_t planned_transfers(const struct ior_work *work) {
  uint64_t planned = ior_share(work);
  if (work->most && work->most < planned) planned = work->most;
  if (work->write || !work->count_file) return planned;
  int64_t count = -1;
  if (world.rank == 0) count = read_count(work->count_file);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, world.comm);
  if (count < 0)
    refuse("%s holds no count of transfers: the write phase must run first", work->count_file);
  return (uint64_t)count < planned ? (uint64_t)count : planned;
}

/* Whether the stonewall is reached: by this rank, or in collective transfers by any. */
static bool over(const struct target *target) {
  int own = stonewall_is_near(&target->wall, target->last) && stonewall_is_over(&target->wall);
  if (!target->work->io.collective) return own;
  int any;
  MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, world.comm);
  return any;
}

/* Transfers until the stonewall, agrees on the largest count of a rank, and wears out up to it. */
static uint64_t run_transfers(struct target *target, uint64_t planned, double start,
                              struct ior_result *result) {
  const struct ior_work *work = target->work;
  uint64_t done = 0, a_segment = work->block / work->transfer;
  bool others_stopped = false;
  target->wall = stonewall_from(start, work->stonewall);
  while (done < planned || (work->endless && planned)) {
    if (work->prefill && done % a_segment == 0) {
      wait_for_all(target);
      if ((others_stopped = ior_prefill_stops(false))) break;
      ior_prefill(work, &target->file, done / a_segment);
    }
    do_transfer(target, work->endless ? done % planned : done);
    done++;
    if (work->stonewall && over(target)) break;
  }
  wait_for_all(target);
  if (work->prefill && !others_stopped) ior_prefill_stops(true);
  if (!work->stonewall) return done;
  record_stonewall();
  result->stonewall_max = reduce_count(done, MPI_MAX);
  result->stonewall_time = now() - start;
  result->stonewall_min = reduce_count(done, MPI_MIN);
  result->stonewall_bytes = reduce_count(done, MPI_SUM) * work->transfer;
  if (work->no_wear_out) return done;
  for (; done < result->stonewall_max; done++)
    do_transfer(target, work->endless ? done % planned : done);
  wait_for_all(target);
  return done;
}

static void prepare_slots(struct target *target) {
  const struct ior_work *work = target->work;
  size_t depth = (size_t)(target->depth = work->io.depth);
  target->slots = need_memory(calloc(depth, sizeof *target->slots));
  target->packets = need_memory(calloc(depth, sizeof *target->packets));
  target->idle = need_memory(calloc(depth, sizeof *target->idle));
  for (size_t i = 0; i < depth; i++) {
    struct packet *packet = &target->packets[i];
    packet_make(packet, work->packet, work->seed, target->owner, work->transfer);
    target->slots[i].buffer = work->write ? packet->data : page_memory(work->transfer);
    target->idle[target->idle_count++] = &target->slots[i];
  }
}

static void free_target(struct target *target) {
  for (int i = 0; i < target->depth; i++) {
    if (!target->work->write) free(target->slots[i].buffer);
    packet_free(&target->packets[i]);
  }
  free(target->slots);
  free(target->packets);
  free(target->idle);
  free(target->path);
}

static void meet(const struct ior_work *work) {
  if (!work->no_barriers) MPI_Barrier(world.comm);
}

/* What is timed: from the open to the close. Returns the transfers of this rank. */
static uint64_t run_timed(struct target *target, uint64_t planned, struct ior_times *times,
                          struct ior_result *result) {
  const struct ior_work *work = target->work;
  struct io_file *file = &target->file;
  MPI_Barrier(world.comm);
  double zero = record_begin();
  times->open_start = now() - zero;
  file->interface->open(file);
  times->open_end = now() - zero;
  meet(work);
  double start = now();
  times->transfer_start = start - zero;
  uint64_t done = run_transfers(target, planned, start, result);
  double written = now();
  if (work->write && !work->no_sync) file->interface->sync(file);
  times->transfer_end = now() - zero;
  meet(work);
  times->close_start = now() - zero;
  file->interface->close(file);
  times->close_end = now() - zero;
  record_over();
  record.part[RECORD_OPEN] += times->open_end - times->open_start;
  record.part[RECORD_TRANSFER] += written - start;
  if (work->write && !work->no_sync)
    record.part[RECORD_SYNC] += zero + times->transfer_end - written;
  record.part[RECORD_CLOSE] += times->close_end - times->close_start;
  return done;
}

static double span(double start, double end) {
  return reduce_double(end, MPI_MAX) - reduce_double(start, MPI_MIN);
}

/* What all ranks did together. */
static void sum_up(const struct target *target, const struct ior_times *times, uint64_t done,
                   struct ior_result *result) {
  result->time = span(times->open_start, times->close_end);
  result->open = span(times->open_start, times->open_end);
  result->transfer = span(times->transfer_start, times->transfer_end);
  result->close = span(times->close_start, times->close_end);
  double own = times->transfer_end - times->transfer_start;
  result->latency = done ? own / (double)done : 0;
  result->own_time = times->close_end - times->open_start;
  result->own_transfers = done;
  result->transfers = reduce_count(done, MPI_SUM);
  result->least = reduce_count(done, MPI_MIN);
  result->bytes = result->transfers * target->work->transfer;
  result->bandwidth = result->time > 0 ? (double)result->bytes / result->time : 0;
  result->errors = reduce_count(target->errors, MPI_SUM);
}

struct ior_result ior_run(const struct ior_work *work) {
  struct ior_result result = {0};
  struct ior_times times;
  struct target target = {.work = work, .owner = ior_owner(work)};
  target.path = ior_path(work, target.owner);
  target.file = (struct io_file){.choice = work->io,
                                 .interface = io_interface_of(work->io.kind),
                                 .path = target.path,
                                 .size = work->transfer,
                                 .write = work->write,
                                 .shared = !work->file_per_process};
  uint64_t planned = planned_transfers(work);
  prepare_slots(&target);
  target.operations = ior_operations_open(work);
  FILE *report = ior_report_start(work);
  clear_way(&target);
  if (work->random) target.random = ior_random_from(work, target.path);
  uint64_t done = run_timed(&target, planned, &times, &result);
  sum_up(&target, &times, done, &result);
  if (work->write && work->count_file && world.rank == 0)
    write_count(work->count_file, result.least);
  ior_report_end(report, work, &result, &times);
  ior_operations_close(target.operations, work);
  free_target(&target);
  return result;
}

static void remove_file(const char *path) {
  if (unlink(path) && errno != ENOENT)
    printf("WARNING: rank %d on %s: \"%s\" stays: %s\n", world.launched, world.host, path,
           strerror(errno));
}

double ior_remove_files(const struct ior_work *work) {
  MPI_Barrier(world.comm);
  double start = now();
  char *path = ior_path(work, world.rank);
  if (work->file_per_process || world.rank == 0) remove_file(path);
  if (work->unique_directories) rmdir(dirname(path));
  free(path);
  MPI_Barrier(world.comm);
  return now() - start;
}
