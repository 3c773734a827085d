/* The bulk data workload: large or small transfers to files of their own or to one shared file. */
#ifndef HDB_IOR_H
#define HDB_IOR_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "io.h"
#include "packet.h"

struct ior_work {
  const char *command; /* the command line that stands for this work in the files */
  const char *file;    /* path; with file_per_process the prefix of the ranks' files */
  bool write;          /* else read */
  bool verify;         /* compare what is read, inside the timed region */
  bool random;         /* read at random multiples of the transfer size */
  bool file_per_process;
  bool unique_directories; /* <directory>/<rank>/<name> */
  struct io_choice io;
  uint64_t transfer, block, segments; /* bytes, bytes, count; a rank's share is block * segments */
  int stonewall;                      /* seconds; 0: none */
  int shift;                          /* whose files are read: those of rank + shift nodes */
  int32_t seed;
  enum packet_type packet;
  const char *count_file; /* transfers of every rank: written after a write, read before a read */
  const char *output;     /* text report of rank 0 */
  const char *csv;        /* one row a rank */
};

struct ior_result {
  double time;           /* first open to last close over all ranks, s */
  double bandwidth;      /* bytes / time, B/s */
  double stonewall_time; /* when the ranks agreed to stop, s after the first transfer of rank 0 */
  uint64_t stonewall_bytes; /* of all ranks at that moment */
  uint64_t errors;          /* transfers with wrong data, all ranks */
};

/* Latencies of single transfers over all ranks go to *latency. */
struct ior_result ior_run(const struct ior_work *work, struct histogram *latency);

#endif
