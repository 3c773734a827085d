/* io500-embedded: the phases of IO500 as one MPI program. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "common.h"
#include "files.h"
#include "hash.h"
#include "options.h"
#include "phases.h"
#include "probe.h"
#include "record.h"
#include "result.h"
#include "score.h"
#include "tools.h"
#include "verify.h"

/* Rank 0 reads the file, so that the others need not see it. */
static char *read_ini(const char *path) {
  uint64_t length = 0;
  char *text = NULL;
  int error = 0;
  if (world.rank == 0) {
    text = read_file(path);
    error = text ? 0 : errno;
    length = text ? strlen(text) : 0;
  }
  MPI_Bcast(&error, 1, MPI_INT, 0, world.comm);
  if (error == ENOENT && !strpbrk(path, "./"))
    refuse("%s: neither an INI file nor a workload; --help names the workloads", path);
  if (error == EILSEQ)
    refuse("%s: has a zero byte, so it is no plain text (UTF-16?); save it as UTF-8", path);
  if (error) refuse("%s: cannot be read: %s", path, strerror(error));
  MPI_Bcast(&length, 1, MPI_UINT64_T, 0, world.comm);
  if (!length) refuse("%s: the file is empty; --list prints a complete one", path);
  if (world.rank != 0) text = need_memory(calloc(length + 1, 1));
  MPI_Bcast(text, (int)length, MPI_CHAR, 0, world.comm);
  return text;
}

static char *time_stamp(void) {
  char text[32] = "";
  if (world.rank == 0) {
    time_t seconds = time(NULL);
    strftime(text, sizeof text, "%Y.%m.%d-%H.%M.%S", localtime(&seconds));
  }
  MPI_Bcast(text, sizeof text, MPI_CHAR, 0, world.comm);
  return format_text("%s", text);
}

static char *directory_option(const char *key, const char *stamped) {
  const char *path = option_text("global", key);
  return option_true("global", stamped) ? format_text("%s/%s", path, run.timestamp)
                                        : format_text("%s", path);
}

static void prepare_run(const struct cli *cli) {
  bool scc = option_true("global", "scc");
  run.timestamp = cli->timestamp ? format_text("%s", cli->timestamp) : time_stamp();
  run.data = directory_option("datadir", "timestamp-datadir");
  run.results = directory_option("resultdir", "timestamp-resultdir");
  run.stonewall = option_int("debug", "stonewall-time", 300);
  run.rule_stonewall = scc ? 30 : 300;
  run.verbosity = cli->verbosity >= 0 ? cli->verbosity : option_int("global", "verbosity", 1);
  run.dry = cli->dry_run;
  record.off = cli->no_record;
  run.cleanup = cli->cleanup;
  run.extended = cli->extended;
  if (!packet_parse(option_text("global", "dataPacketType"), &run.packet))
    refuse("[global] dataPacketType = %s: there are timestamp, offset, incompressible and random",
           option_text("global", "dataPacketType"));
}

static void write_text(const char *name, const char *text) {
  char *path = format_text("%s/%s", run.results, name);
  FILE *file = create_file(path);
  if (text)
    fputs(text, file);
  else
    options_dump(file);
  close_file(file, path);
  free(path);
}

/* What rank 0 made, to be removed again: the data directory, those below it that the workloads
 * expect. */
struct run_directories {
  struct made data, results, groups[5];
  char *found; /* what rank 0 saw in a data directory that was there before; NULL: nothing */
};
static const char *const groups[] = {"ior-easy", "ior-hard", "ior-rnd4K", "ior-rnd1MB",
                                     "concurrent"};
#define GROUPS (sizeof groups / sizeof groups[0])

/* Those of 2021 only where the run has them. */
static bool has_group(size_t i) { return i < 2 || (run.extended && option_true(groups[i], "run")); }

/* Rank 0 makes a directory, or every rank refuses with nothing new left. */
static void make_or_refuse(const char *what, const char *path, struct made *made,
                           struct run_directories *all) {
  int error = 0;
  if (world.rank == 0) error = make_directories(path, made);
  MPI_Bcast(&error, 1, MPI_INT, 0, world.comm);
  if (!error) return;
  for (size_t i = 0; i < GROUPS; i++) unmake_directories(&all->groups[i]);
  unmake_directories(&all->data);
  unmake_directories(&all->results);
  refuse("cannot make the %s directory %s: %s (%s)", what, path, strerror(error),
         error_name(error));
}

static void make_run_directories(struct run_directories *all) {
  make_or_refuse("data", run.data, &all->data, all);
  if (world.rank == 0 && !all->data.first) all->found = visible_name(run.data);
  for (size_t i = 0; i < GROUPS; i++) {
    if (!has_group(i)) continue;
    char *path = format_text("%s/%s", run.data, groups[i]);
    make_or_refuse("data", path, &all->groups[i], all);
    free(path);
  }
  make_or_refuse("result", run.results, &all->results, all);
}

/* True where the run cannot be valid whatever the phases say. */
static bool write_head(const char *found) {
  bool invalid = run.dry || option_text("debug", "pause-dir") || run.cleanup;
  if (world.rank != 0) return invalid;
  result_section("run");
  result_pair("procs", "%d", world.size);
  result_pair("version", "%s", ENGINE_VERSION);
  result_pair("config-hash", "%" PRIX32, options_hash());
  result_pair("result-dir", "%s", run.results);
  const char *mode = run.extended ? "extended" : "standard";
  result_pair("mode", "%s", mode);
  if (run.dry) result_invalid("run", "DRY RUN MODE ACTIVATED");
  if (option_text("debug", "pause-dir")) result_invalid("run", "PAUSING BETWEEN RUNS ACTIVATED");
  if (run.verbosity > 0) result_date("START");
  summary_line("IO500 version %s (%s)", ENGINE_VERSION, mode);
  if (run.stonewall != run.rule_stonewall) {
    invalid = true;
    result_invalid("run", "stonewall-time %ds != %ds", run.stonewall, run.rule_stonewall);
  }
  if (option_text("mdtest-hard", "files-per-dir")) {
    invalid = true;
    result_invalid("run", "files-per-dir is set");
  }
  if (found && !run.dry && phase_enabled(phase_named("find"))) {
    result_comment("WARNING the data directory held \"%s\" before: find counts it", found);
    printf(
        "WARNING: the data directory %s holds \"%s\" already: find counts it, and it stays where "
        "it is not of a run\n",
        run.data, found);
  }
  if (find_ignores_arguments())
    result_comment(
        "WARNING Using internal pfind, will ignore any arguments to the external script");
  result_blank_line();
  return invalid;
}

/* Of the directories that runs make in a data directory of the user's. */
static void tell_what_stays(void) {
  static const char *const metadata[] = {"mdtest-easy", "mdtest-hard", "mdworkbench"};
  for (size_t i = 0; i < GROUPS + 3; i++) {
    char *path = format_text("%s/%s", run.data, i < GROUPS ? groups[i] : metadata[i - GROUPS]);
    if (!access(path, F_OK))
      printf("WARNING: %s stays, because it holds something that is not of this run\n", path);
    free(path);
  }
}

static void clean_up(struct run_directories *all) {
  static const char *const counts[] = {"ior-easy",    "ior-hard",  "mdtest-easy",
                                       "mdtest-hard", "ior-rnd4K", "ior-rnd1MB"};
  remove_ior_data();
  remove_mdtest_data();
  if (run.extended) remove_mdworkbench_data();
  if (run.extended) remove_concurrent_data();
  if (world.rank != 0) return;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    char *path = format_text("%s/%s.stonewall", run.results, counts[i]);
    unlink(path);
    free(path);
  }
  if (!all->data.first && !run.cleanup) tell_what_stays();
  int error = run.cleanup && rmdir(run.data) && errno != ENOENT ? errno : 0;
  if (!error) error = unmake_directories(&all->data);
  if (error)
    printf("WARNING: the data directory %s stays, because it holds something that is not of this "
           "run: %s\n",
           run.data, strerror(error));
}

static void run_benchmark(const struct cli *cli, const char *ini) {
  struct run_directories all = {0};
  prepare_run(cli);
  phases_check();
  make_run_directories(&all);
  result_open(run.results);
  if (world.rank == 0) {
    write_text("config-orig.ini", ini);
    write_text("config.ini", NULL);
  }
  bool invalid = write_head(all.found);
  phases_run();
  score_write(invalid);
  if (run.verbosity > 0) result_date("END");
  result_close();
  clean_up(&all);
  for (size_t i = 0; i < GROUPS; i++) keep_directories(&all.groups[i]);
  keep_directories(&all.results);
  free(all.found);
  if (world.rank == 0) printf("\nThe result files are stored in the directory: %s\n", run.results);
}

int main(int argc, char **argv) {
  int code = 0;
  if (tools_run(argc, argv, &code)) return code;
  if (cli_answer(argc, argv)) return 0;
  world_start(&argc, &argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct cli cli = cli_parse(argc, argv);
  char *ini = read_ini(cli.ini);
  char *parsed = format_text("%s", ini);
  ini_parse(cli.ini, parsed);
  free(parsed);
  if (cli.help) {
    if (world.rank == 0) cli_help(argv[0]);
  } else if (cli.list) {
    if (world.rank == 0) options_list(stdout, false);
    code = 1;
  } else if (cli.config_hash) {
    if (world.rank == 0) printf("config-hash     = %" PRIX32 "\n", options_hash());
  } else if (cli.verify) {
    if (world.rank == 0) code = verify_result(cli.verify);
  } else if (cli.probe) {
    prepare_run(&cli);
    phases_check();
    probe_ranks();
  } else {
    run_benchmark(&cli, ini);
  }
  free(ini);
  fflush(stdout);
  world_end();
  return code;
}
