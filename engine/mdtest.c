#include "mdtest.h"

#include <inttypes.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "mdtest_items.h"
#include "mdtest_report.h"
#include "record.h"

static uint64_t planned_files(const struct mdtest_work *work) {
  if (work->operation == MDTEST_CREATE || !work->count_file) return work->files;
  int64_t count = -1;
  if (world.rank == 0) count = read_count(work->count_file);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, world.comm);
  if (count < 0)
    refuse("%s holds no count of files: the write phase must run first", work->count_file);
  return (uint64_t)count < work->files ? (uint64_t)count : work->files;
}

/* Creates until the stonewall, agrees on the largest count of a rank, and wears out up to it. */
static uint64_t run_operations(struct mdtest_items *items, uint64_t planned, double start,
                               uint64_t *tried, struct mdtest_counts *counts,
                               struct mdtest_result *result) {
  uint64_t done = 0, good = 0;
  struct stonewall wall = stonewall_from(start, items->work->stonewall);
  items->planned = planned;
  items->timed = record.on || wall.seconds > 0;
  items->last = ticks_now();
  done = mdtest_items_do(items, 0, planned, wall.seconds > 0 ? &wall : NULL, &good);
  if (wall.seconds > 0) {
    record_stonewall();
    counts->stonewall_max = reduce_count(done, MPI_MAX);
    result->stonewall_time = now() - start;
    counts->stonewall_min = reduce_count(done, MPI_MIN);
    counts->stonewall_total = reduce_count(done, MPI_SUM);
    result->stonewall_items = reduce_count(good, MPI_SUM);
    items->last = ticks_now();
    if (done < counts->stonewall_max)
      done = mdtest_items_do(items, done, counts->stonewall_max, NULL, &good);
  }
  *tried = done;
  return good;
}

/* Rank 0 creates the items of all ranks, one rank after the other. Returns how many succeeded. */
static uint64_t create_for_all(struct mdtest_items *items, uint64_t planned, uint64_t *tried) {
  uint64_t good = 0;
  *tried = planned;
  items->timed = true;
  items->last = ticks_now();
  for (int owner = 0; world.rank == 0 && owner < world.size; owner++) {
    mdtest_items_of(items, owner);
    mdtest_items_do(items, 0, planned, NULL, &good);
  }
  return good;
}

static uint64_t run_all(struct mdtest_items *items, uint64_t planned, double start,
                        struct mdtest_counts *counts, struct mdtest_result *result) {
  const struct mdtest_work *work = items->work;
  if (work->remove_whatever) return counts->items = mdtest_remove_files(work, &items->errors);
  if (work->collective && work->operation == MDTEST_CREATE)
    return create_for_all(items, planned, &counts->items);
  return run_operations(items, planned, start, &counts->items, counts, result);
}

static bool is_synced(const struct mdtest_work *work) {
  return work->sync_always || (work->operation == MDTEST_CREATE && !work->sync_never);
}

static void sync_all(void) {
  double start = now();
  sync();
  record.part[RECORD_SYNC] += now() - start;
}

struct mdtest_result mdtest_run(const struct mdtest_work *work) {
  struct mdtest_result result = {0};
  struct mdtest_counts counts = {0};
  struct mdtest_times times = {0};
  struct mdtest_items items;
  uint64_t planned = work->remove_whatever ? 0 : planned_files(work);
  mdtest_items_open(&items, work);
  if (work->operation == MDTEST_CREATE) result.leftovers = mdtest_finds_leftovers(work);
  if (result.leftovers && world.rank == 0)
    printf("WARNING: %s: files of an earlier run are there, which are opened and not created\n",
           work->directory);
  FILE *report = mdtest_report_start(work);
  bool trees = !work->trees_stay;
  if (trees && work->operation == MDTEST_CREATE) times.tree_create = mdtest_make_trees(work);

  MPI_Barrier(world.comm);
  double start = record_begin();
  uint64_t good = run_all(&items, planned, start, &counts, &result);
  times.own = now() - start;
  if (is_synced(work)) sync_all();
  record_over();
  MPI_Barrier(world.comm);
  times.whole = now() - start;

  if (trees && work->operation == MDTEST_REMOVE) times.tree_remove = mdtest_remove_trees(work);
  result.time = reduce_double(times.whole, MPI_MAX);
  result.errors = reduce_count(items.errors, MPI_SUM);
  result.rate = result.time > 0 ? (double)reduce_count(good, MPI_SUM) / result.time : 0;
  result.items = counts.items;
  result.own = times.own;
  if (work->operation == MDTEST_CREATE && work->count_file && world.rank == 0)
    write_count(work->count_file, counts.items);
  mdtest_report_end(report, work, &result, &times, &counts);
  mdtest_items_close(&items);
  return result;
}
