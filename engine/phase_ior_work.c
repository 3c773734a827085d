/* What all phases of bulk data have in common: their options, the beginning of their command lines
 * and what makes them invalid. */
#include "phase_ior_work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "common.h"
#include "hash.h"
#include "options.h"
#include "result.h"

char *in_results(const char *name, const char *suffix) {
  return format_text("%s/%s%s", run.results, name, suffix);
}

struct text ior_command(const struct phase *phase) {
  struct text command = {0};
  text_add(&command, "./ior --dataPacketType=%s", option_text("global", "dataPacketType"));
  for (int64_t i = option_number(phase->group, "verbosity", 0); i > 0; i--)
    text_add(&command, " -v");
  return command;
}

/* The phase's own word on collective transfers, else its group's. Only ior-hard has them. */
static bool is_collective(const struct phase *phase) {
  if (strcmp(phase->group, "ior-hard")) return false;
  const char *own = option_text(phase->name, "collective");
  return own ? !strcmp(own, "TRUE") : option_true(phase->group, "collective");
}

struct io_choice io_of(const struct phase *phase) {
  struct io_choice choice = api_choice(phase->name, phase->group);
  choice.collective = is_collective(phase);
  if (choice.collective && choice.kind != IO_MPIIO)
    refuse("[%s] collective = TRUE needs API = MPIIO, not %s", phase->name,
           api_text(phase->name, phase->group));
  return choice;
}

void check_block(const char *group, const char *what, uint64_t part, const char *given) {
  uint64_t block = option_size(group, "blockSize");
  if (!part || !block || block % part)
    refuse("[%s] blockSize = %s is no multiple of %s = %s", group, option_text(group, "blockSize"),
           what, given);
}

struct ior_work work_of(const struct phase *phase) {
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

double measure_work(struct phase *phase, struct ior_work *work) {
  result_pair("exe", "%s", work->command);
  if (run.verbosity > 1 && !run.dry) result_pair("result-file", "%s", work->output);
  struct ior_result result = {0};
  if (!run.dry) {
    result = ior_run(work);
    if (work->write) {
      uint64_t a_rank = result.stonewall_bytes / (uint64_t)world.size;
      if (result.time < run.stonewall)
        phase_invalid(phase,
                      "Write phase needed %fs instead of stonewall %ds. Stonewall was hit at %.1fs",
                      result.time, run.stonewall, result.stonewall_time);
      if (run.verbosity > 1) result_pair("accessed-pairs", "%" PRIu64, result.stonewall_max);
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

struct ior_work bare_work_of(const char *phase) {
  struct ior_work work = work_of(phase_named(phase));
  work_free(&work);
  work.count_file = work.output = work.csv = NULL;
  return work;
}
