/* The files of a run's record: what the ranks have in common, as rows of text. */
#ifndef HDB_RECORD_FILES_H
#define HDB_RECORD_FILES_H

#include "common.h"
#include "record.h"

/* The rows of each file. Start with {0}. */
struct record_rows {
  struct text seconds, latencies, classes, ranks;
};

/* An interval of one kind of operation, all ranks added up. Times in s. */
struct record_second {
  double start, epoch, seconds; /* from the phase's zero; the same in UTC; its length */
  uint64_t ranks, operations, bytes;
};
void record_add_second(struct record_rows *rows, const char *phase, const char *operation,
                       const struct record_second *second, const struct histogram *latency);

/* The latencies of a kind over the whole phase; tell as in record_end. */
void record_add_latency(struct record_rows *rows, const char *phase, const char *operation,
                        const struct histogram *latency, record_tell *tell);

/* What one rank did. Times in s; < 0: there was none. */
struct record_rank {
  double operations, bytes, epoch, stonewall, stonewall_operations, first, last, end, cpu;
  double part[RECORD_PARTS];
  char host[sizeof world.host];
};
void record_add_rank(struct record_rows *rows, const char *phase, int rank,
                     const struct record_rank *did);

/* Adds the rows to the files in `directory`, each whole or not at all; the first time in a run the
   files begin anew. Frees the rows. */
void record_write(const char *directory, struct record_rows *rows);

#endif
