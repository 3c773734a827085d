/* The five phases of bulk data: their options, command lines and what makes them invalid. */
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
#include "phases.h"
#include "result.h"

#define HARD_TRANSFER 47008
#define RANDOM_TRANSFER 4096
#define RANDOM_SEGMENTS 10000000

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

void check_ior(void) {
  uint64_t transfer = option_size("ior-easy", "transferSize");
  uint64_t block = option_size("ior-easy", "blockSize");
  if (!transfer || !block || block % transfer)
    refuse("[ior-easy] blockSize = %s is no multiple of transferSize = %s",
           option_text("ior-easy", "blockSize"), option_text("ior-easy", "transferSize"));
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
    char *hard = format_text("%s/ior-hard", run.data);
    remove_file(hard, "file", -1);
    rmdir(hard);
    free(hard);
  }
  free(own);
  free(easy);
}
