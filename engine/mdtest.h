/* The metadata workload: create, stat, read and remove many small files. */
#ifndef HDB_MDTEST_H
#define HDB_MDTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "packet.h"

enum mdtest_operation { MDTEST_CREATE, MDTEST_STAT, MDTEST_READ, MDTEST_REMOVE };

struct mdtest_work {
  const char *command;
  const char *directory;
  enum mdtest_operation operation;
  bool own_directories; /* a directory for every rank, else one that all share */
  bool remove_whatever; /* remove every file of ours that is there, whatever the count says */
  bool direct;          /* O_DIRECT */
  uint64_t files;       /* of a rank, at most */
  size_t bytes;         /* of a file */
  int stonewall;        /* seconds, create only; 0: none */
  int32_t seed;
  enum packet_type packet;
  const char *count_file; /* files of every rank: written by create, read by the others */
  const char *output;
  const char *csv;
};

struct mdtest_result {
  double time;           /* barrier to barrier, the slowest rank, s */
  double rate;           /* operations that succeeded / time, 1/s */
  double stonewall_time; /* s; 0: no stonewall */
  uint64_t stonewall_items;
  uint64_t errors; /* operations that failed, or read wrong data, all ranks */
};

/* Latencies of single operations over all ranks go to *latency. */
struct mdtest_result mdtest_run(const struct mdtest_work *work, struct histogram *latency);

/* Removes what a run of this workload left in its directory: its files, its directories, nothing
 * else. */
void mdtest_remove_leftovers(const char *directory, bool own_directories);

#endif
