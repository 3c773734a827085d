/* What mdtest was asked for. */
#ifndef HDB_TOOL_MDTEST_H
#define HDB_TOOL_MDTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "mdtest.h"

struct mdtest_given {
  bool create, stat, read, remove, rename, directories, files, leaf_only, rate_and_time, time_only;
  bool unique, overhead, verify, verify_write, sync_file, sync_all, direct, mknod, collective,
      random;
  int verbosity;
  const char *api, *directory, *status_file, *packet, *csv;
  int64_t branch, depth, items, each, iterations, stride, delay, stonewall, seed, level,
      random_seed;
  uint64_t write_bytes, read_bytes;
};

/* Reads the command line, or refuses it in one line. NULL: it asked for help. */
const struct mdtest_given *mdtest_arguments(int argc, char **argv);

/* The directories and items that it asked for, or a refusal. */
struct mdtest_tree mdtest_tree_given(void);

#endif
