/* pfind on its own: its options and what it found. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common.h"
#include "find.h"
#include "tool_arguments.h"
#include "tools.h"

static struct {
  bool steal_next, count_only, ranks;
  const char *directory, *newer, *size, *name, *regex, *csv, *rates;
  int64_t queue, hashing, stonewall;
} given = {.directory = "./", .queue = 100000};

static const struct argument arguments[] = {
    {"-C", NULL, NULL, ARGUMENT_FLAG, &given.count_only, 0, 0,
     "only count; without it the path of each match is printed"},
    {"-N", NULL, NULL, ARGUMENT_FLAG, &given.steal_next, 0, 0,
     "take work from the next rank, not from a random one"},
    {"-P", NULL, NULL, ARGUMENT_FLAG, &given.ranks, 0, 0, "a line for each rank"},
    {"-newer", NULL, NULL, ARGUMENT_TEXT, &given.newer, 0, 0,
     "files that changed in the second of this one's change or later"},
    {"-size", NULL, NULL, ARGUMENT_TEXT, &given.size, 0, 0, "files of so many bytes: 3901c"},
    {"-name", NULL, NULL, ARGUMENT_TEXT, &given.name, 0, 0, "files whose name holds it: *01*"},
    {"-regex", NULL, NULL, ARGUMENT_TEXT, &given.regex, 0, 0,
     "files whose name matches this POSIX extended expression somewhere"},
    {"-s", NULL, NULL, ARGUMENT_NUMBER, &given.stonewall, 0, 1000000000,
     "seconds after which the rest is not looked at; 0: all is"},
    {"-q", NULL, NULL, ARGUMENT_NUMBER, &given.queue, 1, 1000000000,
     "files a rank keeps before it looks at them"},
    {"-H", NULL, NULL, ARGUMENT_NUMBER, &given.hashing, 0, 1,
     "1: all ranks read every directory and share its names by their hash"},
    {"-D", NULL, NULL, ARGUMENT_TEXT, &given.rates, 0, 0, "rates: print the rate too"},
    {"-r", NULL, NULL, ARGUMENT_OUTPUT, &given.csv, 0, 0, "CSV file for a row a rank"},
    {.value = NULL}};

static const struct tool tool = {.name = "pfind",
                                 .synopsis = "pfind <directory> [options]",
                                 .arguments = arguments,
                                 .operand = &given.directory};

/* "3901c" in bytes; -1 where it was not asked for. */
static int64_t size_given(void) {
  if (!given.size) return -1;
  if (*given.size == '+' || *given.size == '-')
    refuse("pfind: -size %s is not supported: only an exact size, such as 3901c", given.size);
  char *end;
  errno = 0;
  int64_t size = strtoll(given.size, &end, 10);
  if (errno || !isdigit((unsigned char)*given.size) || strcmp(end, "c"))
    refuse("pfind: -size %s: expected bytes, such as 3901c", given.size);
  return size;
}

/* The part of "*part*" that names must hold; to be freed. Other patterns are refused. */
static char *part_given(void) {
  const char *name = given.name ? given.name : "";
  size_t length = strlen(name);
  bool starred = length > 1 && name[0] == '*' && name[length - 1] == '*';
  char *part = starred ? format_text("%.*s", (int)length - 2, name + 1) : format_text("%s", name);
  if (strpbrk(part, "*?[]\\"))
    refuse("pfind: -name %s: expected *part*, with no other wildcards", name);
  return part;
}

/* NULL where it was not asked for. */
static const regex_t *regex_given(void) {
  static regex_t regex;
  char message[256];
  if (!given.regex) return NULL;
  if (given.name) refuse("pfind: -name and -regex exclude each other");
  int error = regcomp(&regex, given.regex, REG_EXTENDED | REG_NOSUB);
  if (!error) return &regex;
  regerror(error, &regex, message, sizeof message);
  refuse("pfind: -regex %s: %s", given.regex, message);
}

static void check_path(const char *option, const char *path, bool directory) {
  struct stat status;
  int error = 0;
  if (world.rank == 0)
    error = stat(path, &status) ? errno : directory && !S_ISDIR(status.st_mode) ? ENOTDIR : 0;
  MPI_Bcast(&error, 1, MPI_INT, 0, world.comm);
  if (error) refuse("pfind: %s%s: %s (%s)", option, path, strerror(error), error_name(error));
}

int tool_pfind(int argc, char **argv) {
  if (!arguments_parse(&tool, argc, argv)) return 0;
  if (given.rates && strcasecmp(given.rates, "rates"))
    refuse("pfind: -D %s is not supported; there is -D rates", given.rates);
  struct find_work work = {.directory = given.directory,
                           .newer_than = given.newer,
                           .size = size_given(),
                           .ranks = world.size,
                           .queue_length = (int)given.queue,
                           .steal_next = given.steal_next,
                           .hash_names = given.hashing == 1,
                           .regex = regex_given(),
                           .print = !given.count_only,
                           .tell_ranks = given.ranks,
                           .stonewall = (double)given.stonewall,
                           .csv = given.csv ? given.csv : "/dev/null"};
  char *part = part_given();
  work.name_part = part;
  check_path("", given.directory, true);
  if (given.newer) check_path("-newer ", given.newer, false);
  fail_phase_is("pfind");
  struct find_result result = find_run(&work);
  if (work.regex) regfree((regex_t *)work.regex);
  arguments_record_end("pfind");
  free(part);
  if (world.rank != 0) return result.errors ? 1 : 0;
  double rate = result.time > 0 ? (double)result.total / result.time / 1000 : 0;
  if (given.rates)
    printf("[DONE] rate: %.3f kiops time: %.1fs found: %" PRIu64 " (scanned %" PRIu64
           " files, scanned dirents: %" PRIu64 ", unknown dirents: 0)\n",
           rate, result.time, result.found, result.total, result.checked);
  if (result.stopped)
    printf("WARNING: stopped after %" PRId64 " s: what was not seen by then is not counted\n",
           given.stonewall);
  if (result.errors)
    printf("WARNING: %" PRIu64 " directories or files could not be looked at\n", result.errors);
  printf("MATCHED %" PRIu64 "/%" PRIu64 "\n", result.found, result.total);
  return result.errors ? 1 : 0;
}
