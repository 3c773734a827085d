/* The concurrent phase of the extended mode of 2021: bulk writing, random reading and interactive
   metadata at the same time, each on ranks of its own. Nothing of it touches the data of another
   phase, but for reading what ior-rnd1MB-write wrote. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "common.h"
#include "hash.h"
#include "leftovers.h"
#include "mdworkbench.h"
#include "options.h"
#include "phase_work.h"
#include "phases.h"
#include "record.h"
#include "result.h"

enum part { WRITE, READ, METADATA, PARTS };
static const char *const names[PARTS] = {"ior-easy-write", "ior-rnd1MB-read", "md-workbench"};

#define LEAST_RANKS 5

/* What a part did, as its first rank knows it. */
struct outcome {
  double rate; /* GiB/s, GiB/s, kIOPS */
  double time; /* s */
  uint64_t errors;
};

/* The first ranks write, at most a fifth of all; the next read, up to three fifths; the others work
 * on metadata. */
struct share {
  int first, ranks;
};

static struct share share_of(enum part part) {
  int size = world.size, readers = size / 5, others = size * 3 / 5;
  if (part == WRITE) return (struct share){0, readers};
  if (part == READ) return (struct share){readers, others - readers};
  return (struct share){others, size - others};
}

static enum part own_part(void) {
  int part = 0;
  while (world.rank >= share_of((enum part)part).first + share_of((enum part)part).ranks) part++;
  return (enum part)part;
}

void check_concurrent(void) {
  if (!phase_enabled(phase_named("concurrent"))) return;
  if (world.size < LEAST_RANKS)
    refuse("[concurrent] run = TRUE needs %d ranks or more, 1 that writes, 2 that read and 2 for "
           "metadata: this run has %d",
           LEAST_RANKS, world.size);
  if (!phase_enabled(phase_named("ior-rnd1MB-write")))
    refuse("[concurrent] run = TRUE reads what ior-rnd1MB-write wrote: set run = TRUE in "
           "[ior-rnd1MB] and its write phase too");
  if (run.stonewall < 1)
    refuse("[concurrent] run = TRUE needs a stonewall-time of 1 or more: all its parts run for it");
}

static char *own_directory(void) { return format_text("%s/concurrent", run.data); }

static struct outcome run_ior(const struct ior_work *work) {
  struct ior_result result = ior_run(work);
  return (struct outcome){result.bandwidth / GIB, result.time, result.errors};
}

static struct outcome write_part(const char *directory, MPI_Comm all) {
  struct ior_work work = ior_easy_write_beside(directory);
  MPI_Barrier(all);
  struct outcome outcome = run_ior(&work);
  MPI_Barrier(all);
  ior_remove_files(&work);
  free((char *)work.file);
  return outcome;
}

static struct outcome read_part(int first, int writers, uint64_t transfers, MPI_Comm all) {
  struct ior_work work = ior_rnd1mb_read_beside();
  work.first_writer = first;
  work.writers = writers;
  work.most = transfers;
  MPI_Barrier(all);
  struct outcome outcome = run_ior(&work);
  MPI_Barrier(all);
  free((char *)work.file);
  return outcome;
}

static struct mdworkbench_work metadata_work(char *directory, uint64_t files) {
  return (struct mdworkbench_work){
      .directory = directory,
      .sets = MDWORKBENCH_SETS,
      .precreated = files,
      .files = files,
      .bytes = MDWORKBENCH_BYTES,
      .waiting = strtod(option_text("mdworkbench", "waitingTime"), NULL),
      .seed = signature("md-workbench", run.timestamp),
      .packet = run.packet,
      .silent = true,
      .in_sequence = true,
      .stonewall = run.stonewall,
      .until_stonewall = true,
  };
}

/* Makes its files before the others start and removes them after they ended. */
static struct outcome metadata_part(const char *directory, uint64_t files, MPI_Comm all) {
  static const enum mdworkbench_step steps[] = {MDWORKBENCH_CREATE, MDWORKBENCH_BENCH,
                                                MDWORKBENCH_DELETE};
  char *sets = format_text("%s/mdworkbench", directory);
  struct mdworkbench_work work = metadata_work(sets, files);
  struct mdworkbench_result results[3];
  for (int i = 0; i < 3; i++) {
    bool bench = (work.step = steps[i]) == MDWORKBENCH_BENCH;
    struct record aside = record; /* the steps around it are not what is measured */
    if (bench) MPI_Barrier(all);
    if (!bench) record = (struct record){.off = true};
    results[i] = mdworkbench_run(&work);
    if (!bench) record = aside;
    if (bench) MPI_Barrier(all);
    work.position = results[i].position;
  }
  free(sets);
  double rate = results[1].time > 0 ? (double)results[1].operations / results[1].time : 0;
  return (struct outcome){rate / 1000, results[1].time,
                          results[0].errors + results[1].errors + results[2].errors};
}

static void write_commands(const char *directory, uint64_t files) {
  struct ior_work write = ior_easy_write_beside(directory), read = ior_rnd1mb_read_beside();
  const char *packet = option_text("global", "dataPacketType");
  result_pair("exe-ior-easy-write",
              "./ior --dataPacketType=%s -g -G %d -e -o %s -t %s -b %s%s -w -D %d -O "
              "stoneWallingWearOut=1 -a %s",
              packet, write.seed, write.file, option_text("ior-easy", "transferSize"),
              option_text("ior-easy", "blockSize"), write.file_per_process ? " -F" : "",
              write.stonewall, api_text("ior-easy-write", "ior-easy"));
  result_pair("exe-ior-rnd1MB-read",
              "./ior --dataPacketType=%s -Q=1 -g -G=%d -z --random-offset-seed=%" PRId64
              " -o=%s -k -t=%" PRIu64 " -b=%" PRIu64 " -s=%" PRIu64 " -r -R -D %d -a %s",
              packet, read.seed, read.offset_seed, read.file, read.transfer, read.block,
              read.segments, read.stonewall, api_text("ior-rnd1MB-read", "ior-rnd1MB"));
  result_pair("exe-md-workbench",
              "./md-workbench --dataPacketType=%s -a %s -o=%s/mdworkbench -t=%f -O=1 -D=%d -G=%d "
              "-P=%" PRIu64 " -I=%" PRIu64 " -2 -X -w=%d -W",
              packet, api_text("mdworkbench", "mdworkbench"), directory,
              strtod(option_text("mdworkbench", "waitingTime"), NULL), MDWORKBENCH_SETS,
              signature("md-workbench", run.timestamp), files, files, run.stonewall);
  for (int part = 0; part < PARTS; part++) {
    char *key = format_text("nproc-%s", names[part]);
    result_pair(key, "%d", share_of((enum part)part).ranks);
    free(key);
  }
  free((char *)write.file);
  free((char *)read.file);
}

static enum part told;
static void tell_latency(const char *operation, const double seconds[RECORD_SHARES]) {
  char *name = format_text("%s-%s", names[told], operation);
  result_latency(name, seconds);
  free(name);
}

/* Every part is recorded as a phase of its own; the ranks of the others have nothing to add to it
 * but the clock of rank 0, by which epochs are told. */
static void record_part_end(enum part part, enum part own, double epoch) {
  char *name = format_text("concurrent/%s", names[part]);
  struct record aside = record;
  told = part;
  if (part != own) record = (struct record){.off = aside.off, .epoch = epoch};
  record_end(run.results, name, tell_latency);
  if (part != own) record = aside;
  free(name);
}

/* One part's figures from its first rank to the results. Returns its share of the score: its rate,
 * weighted with its ranks. */
static double tell_part(struct phase *phase, enum part part, struct outcome outcome) {
  MPI_Bcast(&outcome, sizeof outcome, MPI_BYTE, share_of(part).first, world.comm);
  result_pair(names[part], "%f", outcome.rate);
  if (outcome.errors)
    phase_invalid(phase, "%s: %" PRIu64 " operations failed or found wrong data", names[part],
                  outcome.errors);
  if (part == WRITE && outcome.time < run.stonewall)
    phase_invalid(phase,
                  "%s wrote all of blockSize in %fs: the others went on without it until the "
                  "stonewall of %ds",
                  names[part], outcome.time, run.stonewall);
  return outcome.rate * share_of(part).ranks / world.size;
}

double measure_concurrent(struct phase *phase) {
  char *directory = own_directory();
  uint64_t standard = mdworkbench_standard_files(false);
  uint64_t files = (uint64_t)option_number("mdworkbench", "precreatePerSet", (int64_t)standard);
  if (!files) files = 1;
  write_commands(directory, files);
  double score = 0;
  if (!run.dry) {
    enum part part = own_part();
    int first = share_of(part).first, writers = world.size;
    uint64_t transfers = ior_rnd1mb_transfers();
    struct world all = world_split((int)part);
    struct outcome outcome = part == WRITE  ? write_part(directory, all.comm)
                             : part == READ ? read_part(first, writers, transfers, all.comm)
                                            : metadata_part(directory, files, all.comm);
    world_join(&all);
    double epoch = record.epoch;
    for (int i = 0; i < PARTS; i++) {
      score += tell_part(phase, (enum part)i, outcome);
      record_part_end((enum part)i, part, epoch);
    }
  }
  free(directory);
  return score;
}

/* What a concurrent phase that was ended has left. */
void remove_concurrent_data(void) {
  char *directory = own_directory();
  char *sets = format_text("%s/mdworkbench", directory);
  char *shared = format_text("%s/ior_file_easy", directory);
  mdworkbench_remove_leftovers(sets, MDWORKBENCH_SETS);
  each_numbered(directory, "ior_file_easy.", "", remove_leftover, NULL);
  MPI_Barrier(world.comm);
  if (world.rank == 0) {
    unlink(shared);
    rmdir(directory);
  }
  free(shared);
  free(sets);
  free(directory);
}
