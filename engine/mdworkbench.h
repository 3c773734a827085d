/* The interactive metadata workload: a fixed number of small files, where every step looks at,
   reads and removes one file and creates another, each in the directory of another rank. */
#ifndef HDB_MDWORKBENCH_H
#define HDB_MDWORKBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "packet.h"

enum mdworkbench_step { MDWORKBENCH_CREATE, MDWORKBENCH_BENCH, MDWORKBENCH_DELETE };

struct mdworkbench_work {
  const char *command;
  const char *directory;
  enum mdworkbench_step step;
  uint64_t sets;       /* directories of a rank */
  uint64_t precreated; /* files of a set */
  uint64_t files;      /* of a set that an iteration goes through */
  int iterations;
  size_t bytes;   /* of a file */
  double waiting; /* after each operation, relative to its own time */
  int32_t seed;
  enum packet_type packet;
  const char *position_file; /* where the sets begin, after the iterations so far; NULL: none */
  uint64_t position;         /* that, where there is no file */
  const char *output;        /* NULL: stdout */

  /* What md-workbench on its own can be asked for beyond that. Zero is what the phases of a run do.
   */
  bool all_ranks_as_one; /* no line for each rank */
  bool in_sequence;      /* one of several steps: the caller prints the head and the end */
  bool unverified;       /* what is read is not compared */
  bool directory_stays;  /* it was there before */
  bool silent;           /* no report */
  bool read_only;        /* iterations neither remove nor create */
  int rank_offset;       /* how many ranks lie between sets of one number; 0: 1 */
  double stonewall;      /* of an iteration, s; then all do as much as the fastest; 0: none */
  bool until_stonewall;  /* as many iterations as fit before one stonewall over all of them */
};

struct mdworkbench_result {
  double rate;     /* operations that succeeded / time of the slowest rank, 1/s; last iteration */
  double max_time; /* the slowest operation of the last iteration, s */
  double first_rate, first_max_time; /* of the first iteration */
  uint64_t errors;                   /* all iterations and ranks, as are the next two */
  uint64_t operations;               /* that succeeded */
  double time;                       /* of the slowest rank, s */
  uint64_t position;                 /* where the sets begin now */
  int iterations;
};

/* Operations as the latencies of an iteration are indexed. */
enum { MDW_READ, MDW_STAT, MDW_CREATE, MDW_REMOVE, MDW_OPERATIONS };

/* Collective. Its operations go to the record. */
struct mdworkbench_result mdworkbench_run(const struct mdworkbench_work *work);

/* Removes whatever is left of a run in its directory, by the names it gives; nothing else. */
void mdworkbench_remove_leftovers(const char *directory, uint64_t sets);

#endif
