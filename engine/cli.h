/* The command line. */
#ifndef HDB_CLI_H
#define HDB_CLI_H

#include <stdbool.h>

struct cli {
  const char *ini;
  const char *timestamp; /* NULL: the time of the start */
  const char *verify;    /* a result.txt to verify; NULL: run */
  int verbosity;         /* -1: as the INI file says */
  bool dry_run, cleanup, config_hash, help, list, extended, probe, no_record;
};

/* True where the first argument asks for help, a list or the version: done, without MPI. */
bool cli_answer(int argc, char **argv);

/* Reads the command line or refuses it. */
struct cli cli_parse(int argc, char **argv);

void cli_help(const char *program);

#endif
