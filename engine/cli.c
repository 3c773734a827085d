#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "options.h"

void cli_help(const char *program) {
  printf("Synopsis:\n"
         "  %s <INI file> [options]                     Run the benchmark\n"
         "  or\n"
         "  %s <INI file> --verify <output file>        Verify that the output matches the "
         "configuration\n"
         "  or\n"
         "  %s --help | -h                              Show this help message\n"
         "  or\n"
         "  %s --list | -l                              List all configuration options for INI "
         "file\n"
         "  or\n"
         "  %s --list-mandatory | -lm                   List only mandatory configuration options "
         "for INI file\n"
         "  or\n"
         "  %s --version                                Show the version\n"
         "  or\n"
         "  %s ior|mdtest|stream|pfind|mdworkbench      Run one workload on its own (--help lists "
         "its options)\n\n",
         program, program, program, program, program, program, program);
  printf("Options:\n"
         "  --config-hash          Compute the configuration hash\n"
         "  --cleanup              Run only the delete phases (useful to clean up failed runs)\n"
         "  --dry-run              Show executed IO benchmark arguments but do not run them\n"
         "  --mode=standard|extended\n"
         "                         Define the mode to run the benchmark (default: standard)\n"
         "  --no-record            Leave timeseries.csv, latency.csv, histogram.csv and ranks.csv "
         "out\n"
         "  --probe                Check the INI file and show where the ranks are, without I/O\n"
         "  --timestamp=<string>   Use <string> for the output directory name\n\n"
         "  -v                     Increase the verbosity level (can be repeated, e.g., -v -v).\n"
         "  --verbose=<level>      Set the verbosity level (1-10).\n\n"
         "Exit code: 0 when the run completed, valid or not; 1 when it did not.\n");
}

static bool is(const char *argument, const char *name, const char *other) {
  return !strcmp(argument, name) || (other && !strcmp(argument, other));
}

bool cli_answer(int argc, char **argv) {
  const char *first = argc > 1 ? argv[1] : "--help";
  if (is(first, "--help", "-h"))
    cli_help(argv[0]);
  else if (is(first, "--list", "-l"))
    options_list(stdout, false);
  else if (is(first, "--list-mandatory", "-lm"))
    options_list(stdout, true);
  else if (is(first, "--version", NULL))
    printf("IO500 version %s (embedded engine)\n", ENGINE_VERSION);
  else
    return false;
  return true;
}

/* The value of --name=value or --name value; NULL where the argument is another option. */
static const char *value_of(const char *name, int argc, char **argv, int *i) {
  size_t length = strlen(name);
  if (strncmp(argv[*i], name, length)) return NULL;
  if (argv[*i][length] == '=' && argv[*i][length + 1]) return argv[*i] + length + 1;
  if (argv[*i][length]) return NULL;
  if (*i + 1 == argc) refuse("%s needs a value", name);
  return argv[++*i];
}

static int parse_level(const char *text) {
  char *end;
  long level = strtol(text, &end, 10);
  if (end == text || *end || level < 0 || level > 10)
    refuse("--verbose=%s: expected a level from 0 to 10", text);
  return (int)level;
}

/* True for the extended mode. */
static bool parse_mode(const char *mode) {
  bool extended = is(mode, "extended", NULL);
  if (!extended && !is(mode, "standard", NULL))
    refuse("--mode=%s: there are standard and extended", mode);
  return extended;
}

struct cli cli_parse(int argc, char **argv) {
  struct cli cli = {.ini = argv[1], .verbosity = -1};
  for (int i = 2; i < argc; i++) {
    const char *argument = argv[i], *value;
    if (is(argument, "--dry-run", NULL))
      cli.dry_run = true;
    else if (is(argument, "--cleanup", NULL))
      cli.cleanup = true;
    else if (is(argument, "--probe", NULL))
      cli.probe = true;
    else if (is(argument, "--no-record", NULL))
      cli.no_record = true;
    else if (is(argument, "--config-hash", NULL))
      cli.config_hash = true;
    else if (is(argument, "--help", "-h"))
      cli.help = true;
    else if (is(argument, "--list", "-l"))
      cli.list = true;
    else if (is(argument, "-v", NULL))
      cli.verbosity = cli.verbosity < 0 ? 2 : cli.verbosity + 1;
    else if (!strncmp(argument, "--verbose=", 10))
      cli.verbosity = parse_level(argument + 10);
    else if (!strncmp(argument, "--mode=", 7))
      cli.extended = parse_mode(argument + 7);
    else if ((value = value_of("--timestamp", argc, argv, &i)))
      cli.timestamp = value;
    else if ((value = value_of("--verify", argc, argv, &i)))
      cli.verify = value;
    else
      refuse("unknown option %s; --help lists the options", argument);
  }
  if (cli.timestamp && (!*cli.timestamp || strchr(cli.timestamp, '/')))
    refuse("--timestamp=%s: it becomes part of a directory's name, so neither empty nor with /",
           cli.timestamp);
  return cli;
}
