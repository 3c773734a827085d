/* The phases of bulk data: their options, command lines and what makes them invalid. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "common.h"
#include "files.h"
#include "hash.h"
#include "ior.h"
#include "options.h"
#include "phase_work.h"
#include "phases.h"
#include "result.h"

#define HARD_TRANSFER 47008
#define RANDOM_TRANSFER 4096
#define RANDOM_SEGMENTS 10000000

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

static char *in_results(const char *name, const char *suffix) {
  return format_text("%s/%s%s", run.results, name, suffix);
}

static void add_verbosity(struct text *command, const char *group) {
  for (int64_t i = option_number(group, "verbosity", 0); i > 0; i--) text_add(command, " -v");
}

/* The phase's own word on collective transfers, else its group's. Only ior-hard has them. */
static bool is_collective(const struct phase *phase) {
  if (strcmp(phase->group, "ior-hard")) return false;
  const char *own = option_text(phase->name, "collective");
  return own ? !strcmp(own, "TRUE") : option_true(phase->group, "collective");
}

static struct io_choice io_of(const struct phase *phase) {
  struct io_choice choice = api_choice(phase->name, phase->group);
  choice.collective = is_collective(phase);
  if (choice.collective && choice.kind != IO_MPIIO)
    refuse("[%s] collective = TRUE needs API = MPIIO, not %s", phase->name,
           api_text(phase->name, phase->group));
  return choice;
}

static void check_block(const char *group, const char *what, uint64_t part, const char *given) {
  uint64_t block = option_size(group, "blockSize");
  if (!part || !block || block % part)
    refuse("[%s] blockSize = %s is no multiple of %s = %s", group, option_text(group, "blockSize"),
           what, given);
}

static void check_dealt(const struct dealt *which) {
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

void check_ior(void) {
  check_block("ior-easy", "transferSize", option_size("ior-easy", "transferSize"),
              option_text("ior-easy", "transferSize"));
  check_dealt(&dealt[0]);
  check_dealt(&dealt[1]);
  for (struct phase *phase = phases; phase->name; phase++)
    if (phase->group && !strncmp(phase->group, "ior-", 4) && phase_enabled(phase)) io_of(phase);
}

static struct ior_work work_of(const struct phase *phase) {
  return (struct ior_work){
      .write = phase->kind == PHASE_WRITE,
      .verify = phase->kind == PHASE_READ,
      .shift = 1,
      .segments = 1,
      .stonewall = phase->kind == PHASE_WRITE ? run.stonewall : 0,
      .io = io_of(phase),
      .seed = signature(phase->group, run.timestamp),
      .packet = run.packet,
      .count_file = in_results(phase->group, ".stonewall"),
      .output = in_results(phase->name, ".txt"),
      .csv = in_results(phase->name, ".csv"),
  };
}

static void work_free(struct ior_work *work) {
  free((char *)work->command);
  free((char *)work->file);
  free((char *)work->count_file);
  free((char *)work->output);
  free((char *)work->csv);
}

/* Runs one phase, writes its keys and says what makes it invalid. Returns GiB/s. */
static double measure(struct phase *phase, struct ior_work *work) {
  result_pair("exe", "%s", work->command);
  if (run.verbosity > 1) result_pair("result-file", "%s", work->output);
  struct ior_result result = {0};
  if (!run.dry) {
    result = ior_run(work);
    if (work->write) {
      uint64_t a_rank = result.stonewall_bytes / (uint64_t)world.size;
      if (result.time < run.stonewall)
        phase_invalid(phase,
                      "Write phase needed %fs instead of stonewall %ds. Stonewall was hit at %.1fs",
                      result.time, run.stonewall, result.stonewall_time);
      if (result.stonewall_time > 0)
        result_pair("throughput-stonewall", "%.2f",
                    (double)(a_rank * (uint64_t)world.size) / result.stonewall_time / GIB);
    }
    if (result.errors)
      phase_invalid(phase,
                    "Errors (%" PRIu64 ") occured during phase in IOR. This invalidates your run.",
                    result.errors);
  }
  work_free(work);
  return result.bandwidth / GIB;
}

static void easy_options(struct ior_work *work) {
  work->transfer = option_size("ior-easy", "transferSize");
  work->block = option_size("ior-easy", "blockSize");
  work->file_per_process = option_true("ior-easy", "filePerProc");
  work->unique_directories = option_true("ior-easy", "uniqueDir");
  work->file = format_text("%s/ior-easy/ior_file_easy", run.data);
}

static double measure_easy(struct phase *phase) {
  struct ior_work work = work_of(phase);
  easy_options(&work);
  struct text command = {0};
  text_add(&command, "./ior --dataPacketType=%s", option_text("global", "dataPacketType"));
  add_verbosity(&command, phase->group);
  text_add(&command, " -g -G %d -k -e -o %s -C -Q 1 -O stoneWallingStatusFile=%s -t %s -b %s%s%s",
           work.seed, work.file, work.count_file, option_text("ior-easy", "transferSize"),
           option_text("ior-easy", "blockSize"), work.unique_directories ? " -u" : "",
           work.file_per_process ? " -F" : "");
  if (work.write)
    text_add(&command, " -w -D %d -O stoneWallingWearOut=1", run.stonewall);
  else
    text_add(&command, " -r -R");
  text_add(&command, " -a %s -O saveRankPerformanceDetailsCSV=%s",
           api_text(phase->name, phase->group), work.csv);
  work.command = command.data;
  return measure(phase, &work);
}

double measure_ior_easy_write(struct phase *phase) { return measure_easy(phase); }
double measure_ior_easy_read(struct phase *phase) { return measure_easy(phase); }

double measure_ior_easy_random(struct phase *phase) {
  struct ior_work work = work_of(phase);
  easy_options(&work);
  free((char *)work.count_file);
  work.count_file = NULL;
  work.verify = false;
  work.random = true;
  work.stonewall = run.stonewall;
  work.transfer = work.block = RANDOM_TRANSFER;
  work.segments = RANDOM_SEGMENTS;
  work.shift = work.file_per_process ? 2 : 0;
  struct text command = {0};
  text_add(&command, "./ior --dataPacketType=%s", option_text("global", "dataPacketType"));
  add_verbosity(&command, phase->group);
  text_add(&command, " -g -G %d -k -e -o %s%s%s -r -D %d -z -z -a %s", work.seed, work.file,
           work.unique_directories ? " -u" : "", work.file_per_process ? " -F" : "", run.stonewall,
           api_text(phase->name, phase->group));
  text_add(&command, " -O saveRankPerformanceDetailsCSV=%s -t=%d -b=%d -s=%d", work.csv,
           RANDOM_TRANSFER, RANDOM_TRANSFER, RANDOM_SEGMENTS);
  text_add(&command, " -O stoneWallingWearOut=1%s", work.file_per_process ? " -C -Q 2" : "");
  work.command = command.data;
  return measure(phase, &work);
}

static double measure_hard(struct phase *phase) {
  struct ior_work work = work_of(phase);
  work.transfer = work.block = HARD_TRANSFER;
  work.segments = (uint64_t)option_number("ior-hard", "segmentCount", 0);
  work.file = format_text("%s/ior-hard/file", run.data);
  const char *api = api_text(phase->name, phase->group);
  struct text command = {0};
  text_add(&command, "./ior --dataPacketType=%s", option_text("global", "dataPacketType"));
  add_verbosity(&command, phase->group);
  text_add(&command,
           " -C -Q 1 -g -G=%d -k -e -o %s -O stoneWallingStatusFile=%s -t %d -b %d -s %" PRIu64,
           work.seed, work.file, work.count_file, HARD_TRANSFER, HARD_TRANSFER, work.segments);
  if (work.write)
    text_add(&command,
             " -w%s -D %d -a %s -O saveRankPerformanceDetailsCSV=%s -O stoneWallingWearOut=1",
             work.io.collective ? " -c" : "", run.stonewall, api, work.csv);
  else
    text_add(&command, " -r -R%s -a %s -O saveRankPerformanceDetailsCSV=%s",
             work.io.collective ? " -c" : "", api, work.csv);
  work.command = command.data;
  return measure(phase, &work);
}

double measure_ior_hard_write(struct phase *phase) { return measure_hard(phase); }
double measure_ior_hard_read(struct phase *phase) { return measure_hard(phase); }

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
  struct text command = {0};
  text_add(&command, "./ior --dataPacketType=%s", option_text("global", "dataPacketType"));
  add_verbosity(&command, phase->group);
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
  return measure(phase, &work);
}

/* A phase's work without anything that it would leave in the results. */
static struct ior_work bare_work_of(const char *phase) {
  struct ior_work work = work_of(phase_named(phase));
  work_free(&work);
  work.count_file = work.output = work.csv = NULL;
  return work;
}

struct ior_work ior_easy_write_beside(const char *directory) {
  struct ior_work work = bare_work_of("ior-easy-write");
  easy_options(&work);
  free((char *)work.file);
  work.unique_directories = false;
  work.file = format_text("%s/ior_file_easy", directory);
  return work;
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

static void remove_file(const char *directory, const char *name, int number) {
  char *path = number < 0 ? format_text("%s/%s", directory, name)
                          : format_text("%s/%s.%08d", directory, name, number);
  unlink(path);
  free(path);
}

void remove_ior_data(void) {
  char *easy = format_text("%s/ior-easy", run.data);
  char *own = format_text("%s/%d", easy, world.rank);
  remove_file(easy, "ior_file_easy", world.rank);
  remove_file(own, "ior_file_easy", world.rank);
  rmdir(own);
  MPI_Barrier(world.comm);
  if (world.rank == 0) {
    remove_file(easy, "ior_file_easy", -1);
    rmdir(easy);
    static const char *const shared[] = {"ior-hard", "ior-rnd4K", "ior-rnd1MB"};
    for (int i = 0; i < 3; i++) {
      char *directory = format_text("%s/%s", run.data, shared[i]);
      remove_file(directory, "file", -1);
      rmdir(directory);
      free(directory);
    }
  }
  free(own);
  free(easy);
}
