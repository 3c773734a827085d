/* The find workload: ranks walk a tree together and count what matches. */
#ifndef HDB_FIND_H
#define HDB_FIND_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

struct find_work {
  const char *directory;
  const char *name_part; /* matches where the name holds it */
  const regex_t *regex;  /* in its place: matches where the name does; NULL: not asked */
  const char
      *newer_than;  /* a file: st_ctime in whole seconds not before its own; NULL: not asked */
  int64_t size;     /* bytes, exactly; -1: not asked */
  int ranks;        /* how many of the run take part, from rank 0 on */
  int queue_length; /* entries a rank keeps before it handles them itself */
  bool steal_next;  /* ask the next rank for work, else a random one */
  bool hash_names;  /* every rank reads every directory and takes the names that hash to it */
  const char *csv;

  /* What pfind on its own can be asked for beyond that. Zero is what the phases of a run do. */
  bool print;       /* the path of each match, on the standard output of the rank that found it */
  bool tell_ranks;  /* a line for each */
  double stonewall; /* s after which what is left is not looked at; 0: none */
};

struct find_result {
  double time; /* start to end of the walk, the slowest rank, s */
  uint64_t found;
  uint64_t total;   /* everything that is no directory */
  uint64_t errors;  /* directories and files that could not be looked at */
  uint64_t checked; /* names and directories that were looked at */
  bool stopped;     /* by the stonewall */
};

struct find_result find_run(const struct find_work *work);

#endif
