/* The phases of random access of the extended mode of 2021. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "common.h"
#include "files.h"
#include "hash.h"
#include "options.h"
#include "phase_ior_work.h"
#include "phase_work.h"

/* The two workloads of the extended mode of 2021: one shared file whose records are dealt to the
 * ranks, at random within each block, in the same way in every block. */
struct dealt {
  const char *group;
  const char *seeds; /* the word that the seed of the data is made of */
  uint64_t transfer;
  int offset_seed;
};
static const struct dealt dealt[] = {{"ior-rnd4K", "ior-random4K", 4096, 123},
                                     {"ior-rnd1MB", "ior-random1MB", 1 << 20, 11}};
#define DEALT_SEGMENTS 10000000

static void check_one(const struct dealt *which) {
  if (!option_true(which->group, "run")) return;
  char *transfer = format_text("%" PRIu64, which->transfer);
  check_block(which->group, "the transfer size", which->transfer, transfer);
  uint64_t prefill = option_size(which->group, "randomPrefill");
  if (prefill)
    check_block(which->group, "randomPrefill", prefill, option_text(which->group, "randomPrefill"));
  if (prefill > INT32_MAX)
    refuse("[%s] randomPrefill = %s: a transfer has less than 2 GiB", which->group,
           option_text(which->group, "randomPrefill"));
  free(transfer);
}

void check_dealt(void) {
  check_one(&dealt[0]);
  check_one(&dealt[1]);
}

/* Everything but what to do with the file. To be freed with the rest. */
static void dealt_options(struct ior_work *work, const struct dealt *which) {
  work->shuffle = true;
  work->shift = 0;
  work->transfer = which->transfer;
  work->block = option_size(which->group, "blockSize");
  work->segments = DEALT_SEGMENTS;
  work->seed = signature(which->seeds, run.timestamp);
  work->offset_seed = which->offset_seed;
  work->file = format_text("%s/%s/file", run.data, which->group);
}

double measure_ior_dealt(struct phase *phase) {
  const struct dealt *which = &dealt[strcmp(phase->group, dealt[0].group) != 0];
  struct ior_work work = work_of(phase);
  dealt_options(&work, which);
  work.prefill = work.write ? option_size(which->group, "randomPrefill") : 0;
  struct text command = ior_command(phase);
  text_add(&command, " -Q=1 -g -G=%d -z --random-offset-seed=%d -e -o=%s", work.seed,
           which->offset_seed, work.file);
  text_add(&command, " -O stoneWallingStatusFile=%s -k -t=%" PRIu64 " -b=%" PRIu64 " -s=%d",
           work.count_file, work.transfer, work.block, DEALT_SEGMENTS);
  if (work.prefill) text_add(&command, " --randomPrefill=%" PRIu64, work.prefill);
  if (work.write)
    text_add(&command, " -w -D %d -a %s -O stoneWallingWearOut=1", run.stonewall,
             api_text(phase->name, phase->group));
  else
    text_add(&command, " -r -R -a %s", api_text(phase->name, phase->group));
  text_add(&command, " -O saveRankPerformanceDetailsCSV=%s", work.csv);
  work.command = command.data;
  return measure_work(phase, &work);
}

struct ior_work ior_rnd1mb_read_beside(void) {
  struct ior_work work = bare_work_of("ior-rnd1MB-read");
  dealt_options(&work, &dealt[1]);
  work.stonewall = run.stonewall;
  work.endless = work.no_wear_out = true;
  return work;
}

uint64_t ior_rnd1mb_transfers(void) {
  int64_t count = -1;
  char *path = in_results(dealt[1].group, ".stonewall");
  if (world.rank == 0) count = read_count(path);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, world.comm);
  if (count < 1) refuse("%s holds no count of transfers: ior-rnd1MB-write must run first", path);
  free(path);
  return (uint64_t)count;
}
