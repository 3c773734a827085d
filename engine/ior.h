/* The bulk data workload: large or small transfers to files of their own or to one shared file. */
#ifndef HDB_IOR_H
#define HDB_IOR_H

#include <stdbool.h>
#include <stdint.h>

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
  const char *output;     /* text report of rank 0; NULL: none */
  const char *csv;        /* one row a rank; NULL: none */

  /* What ior on its own can be asked for beyond that. Zero is what the phases of a run do. */
  bool shuffle; /* every transfer of a segment once, in a random order; in a shared file the places
                   of the segment are dealt to all ranks */
  bool no_barriers;    /* between open, transfers and close */
  bool no_sync;        /* after writing */
  bool no_wear_out;    /* after the stonewall */
  bool sync_each;      /* after every transfer that is written */
  bool existing;       /* write into the file that is there */
  bool csv_goes_on;    /* add the rows to those of an earlier call */
  int rank_shift;      /* read the data of the rank so many further on */
  uint64_t most;       /* transfers of a rank; 0: its share */
  int64_t offset_seed; /* of random offsets */
  uint64_t prefill; /* a shuffled write fills each segment first, in transfers of so many bytes */
  bool endless;     /* starts over until the stonewall */
  int writers;      /* ranks that wrote what is read; 0: those there are */
  int first_writer; /* whose data rank 0 reads, before any shift */
  const char *operations; /* beginning of the names of files for a row a transfer; NULL: none */
  int iteration;          /* in those names */
  int repetitions;        /* for the report only, like the next; 0: 1 */
  int verbosity;
  int random_tasks;  /* as -Z asks for it: 1 a random other rank's data is read, 2 shuffled */
  int64_t task_seed; /* of that order */
};

struct ior_result {
  double time;           /* first open to last close over all ranks, s */
  double bandwidth;      /* bytes / time, B/s */
  double stonewall_time; /* when the ranks agreed to stop, s after the first transfer of rank 0 */
  uint64_t stonewall_bytes;  /* of all ranks at that moment */
  uint64_t errors;           /* transfers with wrong data, all ranks */
  uint64_t bytes, transfers; /* of all ranks */
  double own_time;           /* first open to last close of this rank, s */
  uint64_t own_transfers;
  uint64_t least;                        /* transfers of the rank that did fewest */
  double open, transfer, close;          /* the first rank's begin to the last one's end, s */
  double latency;                        /* time of a transfer on rank 0, s */
  uint64_t stonewall_min, stonewall_max; /* transfers of a rank at the stonewall */
};

/* Collective. Its transfers go to the record. */
struct ior_result ior_run(const struct ior_work *work);

/* Removes the files of a call that wrote, and its ranks' directories. Collective; the seconds it
 * took. */
double ior_remove_files(const struct ior_work *work);

/* The file that a rank writes; to be freed. */
char *ior_path(const struct ior_work *work, int rank);

#endif
