/* ior-easy, ior-hard and the random read at the end: their options and command lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "common.h"
#include "leftovers.h"
#include "options.h"
#include "phase_ior_work.h"
#include "phase_work.h"

#define HARD_TRANSFER 47008
#define RANDOM_TRANSFER 4096
#define RANDOM_SEGMENTS 10000000

void check_ior(void) {
  check_block("ior-easy", "transferSize", option_size("ior-easy", "transferSize"),
              option_text("ior-easy", "transferSize"));
  for (struct phase *phase = phases; phase->name; phase++)
    if (phase->group && !strncmp(phase->group, "ior-", 4) && phase_enabled(phase)) io_of(phase);
  bool random = phase_enabled(phase_named("ior-rnd4K-easy-read"));
  if (random && option_size("ior-easy", "blockSize") < RANDOM_TRANSFER)
    refuse("[ior-easy] blockSize = %s: ior-rnd4K-easy-read reads %d bytes at a time; give a block "
           "as much, or set [ior-rnd4K-easy-read] run = FALSE",
           option_text("ior-easy", "blockSize"), RANDOM_TRANSFER);
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
  struct text command = ior_command(phase);
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
  return measure_work(phase, &work);
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
  struct text command = ior_command(phase);
  text_add(&command, " -g -G %d -k -e -o %s%s%s -r -D %d -z -z -a %s", work.seed, work.file,
           work.unique_directories ? " -u" : "", work.file_per_process ? " -F" : "", run.stonewall,
           api_text(phase->name, phase->group));
  text_add(&command, " -O saveRankPerformanceDetailsCSV=%s -t=%d -b=%d -s=%d", work.csv,
           RANDOM_TRANSFER, RANDOM_TRANSFER, RANDOM_SEGMENTS);
  text_add(&command, " -O stoneWallingWearOut=1%s", work.file_per_process ? " -C -Q 2" : "");
  work.command = command.data;
  return measure_work(phase, &work);
}

static double measure_hard(struct phase *phase) {
  struct ior_work work = work_of(phase);
  work.transfer = work.block = HARD_TRANSFER;
  work.segments = (uint64_t)option_number("ior-hard", "segmentCount", 0);
  work.file = format_text("%s/ior-hard/file", run.data);
  const char *api = api_text(phase->name, phase->group);
  struct text command = ior_command(phase);
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
  return measure_work(phase, &work);
}

double measure_ior_hard_write(struct phase *phase) { return measure_hard(phase); }
double measure_ior_hard_read(struct phase *phase) { return measure_hard(phase); }

struct ior_work ior_easy_write_beside(const char *directory) {
  struct ior_work work = bare_work_of("ior-easy-write");
  easy_options(&work);
  free((char *)work.file);
  work.unique_directories = false;
  work.file = format_text("%s/ior_file_easy", directory);
  return work;
}

static void remove_shared(const char *directory, const char *name) {
  char *path = format_text("%s/%s", directory, name);
  unlink(path);
  free(path);
  rmdir(directory);
}

/* uniqueDir: <rank>/ior_file_easy.<rank> */
static void remove_own_directory(const char *path, void *context) {
  (void)context;
  char *file = format_text("%s/ior_file_easy.%08d", path, atoi(strrchr(path, '/') + 1));
  unlink(file);
  free(file);
  rmdir(path);
}

void remove_ior_data(void) {
  char *easy = format_text("%s/ior-easy", run.data);
  each_numbered(easy, "ior_file_easy.", "", remove_leftover, NULL);
  each_numbered(easy, "", "", remove_own_directory, NULL);
  MPI_Barrier(world.comm);
  if (world.rank == 0) {
    remove_shared(easy, "ior_file_easy");
    static const char *const shared[] = {"ior-hard", "ior-rnd4K", "ior-rnd1MB"};
    for (int i = 0; i < 3; i++) {
      char *directory = format_text("%s/%s", run.data, shared[i]);
      remove_shared(directory, "file");
      free(directory);
    }
  }
  free(easy);
}
