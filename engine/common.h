/* What every file of the engine shares: who we are among the ranks, time, text, and the one way to
 * fail. */
#ifndef HDB_COMMON_H
#define HDB_COMMON_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HDB_PATH 4096
#define GIB ((double)(1ULL << 30))

#ifndef HDB_VERSION
#error "HDB_VERSION comes from the Makefile"
#endif
#define ENGINE_VERSION "hpc-disk-bench-" HDB_VERSION

/* The ranks of this run and the nodes they are on. */
struct world {
  MPI_Comm comm; /* what every collective call goes through */
  int rank;
  int size;
  int launched; /* this rank among all that were launched, as messages name it */
  int nodes;
  int node0_ranks;    /* ranks on the node of rank 0 */
  bool block_mapping; /* neighbours in rank order share a node */
  char *nodemap;      /* one character a rank: 1 where it is on rank 0's node */
  char host[256];
};
extern struct world world;

void world_start(int *argc, char ***argv);
void world_end(void);

/* Makes the world that of the ranks with the same colour, in their order; collective over all of
   them. Returns the world there was, for world_join, which is collective over that. */
struct world world_split(int colour);
void world_join(const struct world *before);

/* By how many ranks a phase shifts to reach files that another node wrote: the ranks of one node
   with block mapping, else 1. */
int world_node_stride(void);

/* Seconds on a clock that never goes back. Not comparable between hosts. */
double now(void);

/* The phase that runs, for messages of failure. */
void fail_phase_is(const char *phase);

/* A system call failed on this rank: one line with rank, host, phase, path and errno, and the whole
   run ends with exit code 1. offset < 0 where there is none. */
_Noreturn void fail_call(const char *call, const char *path, int64_t offset, int error);

/* This rank found something that ends the run. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Every rank found the same mistake of the user (configuration, options): rank 0 says it, all exit
 * with 1. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An errno after which no result of the phase can mean anything: no space, I/O error, a server
 * gone. */
bool error_is_fatal(int error);

const char *error_name(int error);

void *need_memory(void *pointer);
/* Zeroes, aligned to a page, for direct I/O. */
void *page_memory(size_t bytes);
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Text that grows. Start with {0}; text.data is NULL while empty. */
struct text {
  char *data;
  size_t length;
  size_t room;
};
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "2m" in bytes: a number and k, m, g, t or p (powers of 1024, either case), optional. False: no
 * size. */
bool parse_size(const char *text, uint64_t *bytes);

/* "2 MiB", "9.46 TiB", "47008 bytes": as the benchmark prints sizes. Static storage, four calls
 * deep. */
const char *human_size(double bytes);

double reduce_double(double value, MPI_Op operation);
uint64_t reduce_count(uint64_t value, MPI_Op operation);

#endif
