#include "mdworkbench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "common.h"
#include "files.h"
#include "leftovers.h"
#include "mdworkbench_report.h"
#include "record.h"
#include "small_file.h"

struct bench {
  const struct mdworkbench_work *work;
  struct packet packet; /* the same in every file, since its reader does not know who wrote it */
  unsigned char *read_buffer;
  struct mdworkbench_part part;
  char path[HDB_PATH];
};

static void set_path(struct bench *bench, int rank, uint64_t set) {
  snprintf(bench->path, sizeof bench->path, "%s/%d_%" PRIu64, bench->work->directory, rank, set);
}

static void file_path(struct bench *bench, int rank, uint64_t set, uint64_t index) {
  snprintf(bench->path, sizeof bench->path, "%s/%d_%" PRIu64 "/file-%" PRIu64,
           bench->work->directory, rank, set, index);
}

static bool count_error(struct bench *bench, const char *call, int error) {
  return count_failure(&bench->part.errors, call, bench->path, error);
}

static bool create_file_here(struct bench *bench) {
  record_apart();
  int fd = call_open(bench->path, O_RDWR | O_CREAT, 0664);
  if (fd < 0) return count_error(bench, "open", errno);
  record_part(RECORD_OPEN);
  packet_at(&bench->packet, 0);
  bool good = small_file_write(fd, bench->path, bench->packet.data, bench->work->bytes,
                               &bench->part.errors);
  record_part(RECORD_TRANSFER);
  if (call_close(fd)) return count_error(bench, "close", errno);
  record_part(RECORD_CLOSE);
  return good;
}

static bool stat_file_here(struct bench *bench) {
  struct stat status;
  return !call_stat(bench->path, &status) || count_error(bench, "stat", errno);
}

static bool read_file_here(struct bench *bench) {
  record_apart();
  int fd = call_open(bench->path, O_RDONLY, 0);
  if (fd < 0) return count_error(bench, "open", errno);
  record_part(RECORD_OPEN);
  size_t done, size = bench->work->bytes, where;
  bool good =
      small_file_read(fd, bench->path, bench->read_buffer, size, &done, &bench->part.errors);
  record_part(RECORD_TRANSFER);
  if (call_close(fd)) return count_error(bench, "close", errno);
  record_part(RECORD_CLOSE);
  if (!good) return false;
  if (done < size) return count_wrong_data(&bench->part.errors, bench->path, done);
  if (bench->work->unverified || packet_matches(&bench->packet, bench->read_buffer, 0, &where))
    return true;
  return count_wrong_data(&bench->part.errors, bench->path, where);
}

static bool remove_file_here(struct bench *bench) {
  return !call_unlink(bench->path) || count_error(bench, "unlink", errno);
}

/* Times one operation on bench->path, counts it, and waits as long as asked for. */
static bool timed(struct bench *bench, int kind, bool (*operation)(struct bench *)) {
  static const enum record_kind kinds[MDW_OPERATIONS] = {
      [MDW_READ] = RECORD_READ, RECORD_STAT, RECORD_CREATE, RECORD_DELETE};
  uint64_t start = ticks_now();
  bool good = operation(bench);
  uint64_t end = ticks_now(), ns = ticks_ns(start, end);
  bool moves = kind == MDW_READ || kind == MDW_CREATE;
  record_done(kinds[kind], moves ? bench->work->bytes : 0, start, end);
  histogram_add(&bench->part.latency[kind], ns);
  bench->part.operations += good;
  double wait = 1e-9 * (double)ns * bench->work->waiting;
  if (wait > 0) {
    struct timespec rest = {(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)};
    nanosleep(&rest, NULL);
  }
  return good;
}

static void make_sets(struct bench *bench) {
  for (uint64_t set = 0; set < bench->work->sets; set++) {
    set_path(bench, world.rank, set);
    if (mkdir(bench->path, 0775) && errno != EEXIST) fail_call("mkdir", bench->path, -1, errno);
    bench->part.sets++;
    bench->part.operations++;
  }
}

static void create_step(struct bench *bench) {
  make_sets(bench);
  for (uint64_t index = 0; index < bench->work->precreated; index++)
    for (uint64_t set = 0; set < bench->work->sets; set++) {
      file_path(bench, world.rank, set, index);
      bench->part.objects += timed(bench, MDW_CREATE, create_file_here);
    }
}

static int other_rank(int64_t distance) {
  return (int)(((world.rank + distance) % world.size + world.size) % world.size);
}

/* One file of every set. */
static void bench_files(struct bench *bench, uint64_t position, uint64_t index) {
  const struct mdworkbench_work *work = bench->work;
  int64_t offset = work->rank_offset ? work->rank_offset : 1;
  for (uint64_t set = 0; set < work->sets; set++) {
    int64_t distance = (int64_t)(set + 1) * offset % world.size;
    file_path(bench, other_rank(-distance), set, position + index);
    timed(bench, MDW_STAT, stat_file_here);
    bench->part.objects += timed(bench, MDW_READ, read_file_here);
    if (work->read_only) continue;
    timed(bench, MDW_REMOVE, remove_file_here);
    file_path(bench, other_rank(distance), set, position + work->precreated + index);
    timed(bench, MDW_CREATE, create_file_here);
  }
}

/* Until the stonewall, and then as far as the fastest rank came. Returns the files of a set that
 * all went through. */
static uint64_t bench_step(struct bench *bench, uint64_t position, double stonewall) {
  double start = now();
  uint64_t done = 0;
  while (done < bench->work->files) {
    bench_files(bench, position, done++);
    if (stonewall > 0 && now() - start > stonewall) break;
  }
  if (!(stonewall > 0)) return done;
  uint64_t most = reduce_count(done, MPI_MAX);
  while (done < most) bench_files(bench, position, done++);
  return done;
}

static void delete_step(struct bench *bench, uint64_t position) {
  const struct mdworkbench_work *work = bench->work;
  for (uint64_t index = 0; index < work->precreated; index++)
    for (uint64_t set = 0; set < work->sets; set++) {
      file_path(bench, world.rank, set, position + index);
      bench->part.objects += timed(bench, MDW_REMOVE, remove_file_here);
    }
  for (uint64_t set = 0; set < work->sets; set++) {
    set_path(bench, world.rank, set);
    bool good = !rmdir(bench->path) || count_error(bench, "rmdir", errno);
    bench->part.sets += good;
    bench->part.operations += good;
  }
}

/* Where the sets begin: 0 after their creation, further on after iterations. Rank 0 knows. */
static uint64_t read_position(const struct mdworkbench_work *work) {
  if (!work->position_file) return work->position;
  uint64_t position = 0;
  if (world.rank == 0) {
    char *text = read_file(work->position_file);
    if (text) sscanf(text, "pos: %" SCNu64, &position);
    free(text);
  }
  MPI_Bcast(&position, 1, MPI_UINT64_T, 0, world.comm);
  return position;
}

static void write_position(const struct mdworkbench_work *work, uint64_t position) {
  if (world.rank != 0) return;
  FILE *file = create_file(work->position_file);
  fprintf(file, "pos: %" PRIu64 "\n", position);
  close_file(file, work->position_file);
}

static void reset_part(struct mdworkbench_part *part) {
  struct histogram *latency = part->latency;
  for (int i = 0; i < MDW_OPERATIONS; i++) histogram_reset(&latency[i]);
  *part = (struct mdworkbench_part){.latency = latency};
}

static void top_directory(const struct mdworkbench_work *work, bool make) {
  if (world.rank != 0) return;
  if (make && mkdir(work->directory, 0775) && errno != EEXIST)
    fail_call("mkdir", work->directory, -1, errno);
  if (!make && !work->directory_stays) rmdir(work->directory);
}

/* One step or one iteration of it, timed and reported. Adds to the result. Returns the files of a
 * set that an iteration went through. */
static uint64_t run_part(struct bench *bench, uint64_t position, double stonewall, FILE *report,
                         struct mdworkbench_result *result, struct histogram *latency) {
  uint64_t files = 0;
  reset_part(&bench->part);
  MPI_Barrier(world.comm);
  double start = record_begin();
  if (bench->work->step == MDWORKBENCH_CREATE) create_step(bench);
  if (bench->work->step == MDWORKBENCH_BENCH) files = bench_step(bench, position, stonewall);
  if (bench->work->step == MDWORKBENCH_DELETE) delete_step(bench, position);
  bench->part.time = now() - start;
  record_over();
  double slowest = mdworkbench_report_part(report, bench->work, &bench->part, latency);
  uint64_t max = 0;
  for (int i = 0; i < MDW_OPERATIONS; i++)
    if (bench->part.latency[i].max > max) max = bench->part.latency[i].max;
  uint64_t operations = reduce_count(bench->part.operations, MPI_SUM);
  result->operations += operations;
  result->time += slowest;
  result->rate = slowest > 0 ? (double)operations / slowest : 0;
  result->max_time = 1e-9 * (double)reduce_count(max, MPI_MAX);
  result->errors += reduce_count(bench->part.errors, MPI_SUM);
  if (result->iterations++ == 0) {
    result->first_rate = result->rate;
    result->first_max_time = result->max_time;
  }
  return bench->work->read_only ? 0 : files;
}

/* The iterations of the bench step. Returns where the sets begin after them. */
static uint64_t run_iterations(struct bench *bench, uint64_t position, FILE *report,
                               struct mdworkbench_result *result, struct histogram *latency) {
  const struct mdworkbench_work *work = bench->work;
  double left = work->stonewall, start = now();
  for (int i = 0; work->until_stonewall ? left > 0 : i < work->iterations; i++) {
    position += run_part(bench, position, left, report, result, latency);
    if (work->until_stonewall) left = work->stonewall - reduce_double(now() - start, MPI_MAX);
  }
  return position;
}

struct mdworkbench_result mdworkbench_run(const struct mdworkbench_work *work) {
  struct mdworkbench_result result = {0};
  struct bench bench = {.work = work};
  size_t latencies = sizeof(struct histogram) * MDW_OPERATIONS;
  bench.part.latency = need_memory(malloc(latencies));
  struct histogram *latency = need_memory(malloc(latencies)); /* of all ranks */
  bench.read_buffer = need_memory(malloc(work->bytes + 1));
  packet_make(&bench.packet, work->packet, work->seed, 0, work->bytes);
  double start = now();
  FILE *report = mdworkbench_report_start(work);
  if (work->step == MDWORKBENCH_CREATE) top_directory(work, true);
  result.position = work->step == MDWORKBENCH_CREATE ? 0 : read_position(work);
  if (work->step == MDWORKBENCH_BENCH)
    result.position = run_iterations(&bench, result.position, report, &result, latency);
  else
    run_part(&bench, result.position, 0, report, &result, latency);
  MPI_Barrier(world.comm);
  if (work->step == MDWORKBENCH_DELETE)
    top_directory(work, false);
  else if (work->position_file)
    write_position(work, result.position);
  mdworkbench_report_end(report, work, now() - start);
  packet_free(&bench.packet);
  free(bench.read_buffer);
  free(bench.part.latency);
  free(latency);
  return result;
}

static bool is_our_file(const char *name) {
  uint64_t number;
  return numbered_name(name, "file-", "", &number);
}

static void remove_set(const char *path, void *context) {
  (void)context;
  DIR *set = opendir(path);
  for (struct dirent *entry; set && (entry = readdir(set));)
    if (is_our_file(entry->d_name)) unlinkat(dirfd(set), entry->d_name, 0);
  if (set) closedir(set);
  rmdir(path);
}

void mdworkbench_remove_leftovers(const char *directory, uint64_t sets) {
  for (uint64_t set = 0; set < sets; set++) {
    char *after = format_text("_%" PRIu64, set);
    each_numbered(directory, "", after, remove_set, NULL);
    free(after);
  }
  MPI_Barrier(world.comm);
  if (world.rank == 0) rmdir(directory);
}
