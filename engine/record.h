/* What the phase that runs does, second by second: counted on each rank without a word to the
   others, added up (record_end.c) and written (record_files.c) when the phase is over. */
#ifndef HDB_RECORD_H
#define HDB_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"
#include "ticks.h"

/* Kinds of operations, named in record_names. */
enum record_kind {
  RECORD_WRITE,
  RECORD_READ,
  RECORD_CREATE,
  RECORD_STAT,
  RECORD_DELETE,
  RECORD_MKDIR,
  RECORD_RMDIR,
  RECORD_RENAME,
  RECORD_ENTRY,    /* find came past it; these have no latency of their own */
  RECORD_GETDENTS, /* find's calls: they are no operations of a rank, its entries are */
  RECORD_LSTAT,
  RECORD_KINDS
};
extern const char *const record_names[RECORD_KINDS];
#define RECORD_IS_CALL(kind) ((kind) >= RECORD_GETDENTS)

/* What the time of an operation goes into. */
enum record_part { RECORD_OPEN, RECORD_TRANSFER, RECORD_SYNC, RECORD_CLOSE, RECORD_PARTS };

#define RECORD_INTERVALS 1024    /* then the intervals become twice as long */
#define RECORD_BYTES (8UL << 20) /* or when their latencies take more than this */
#define RECORD_SAMPLE 61         /* of so many small files one is timed by its parts */
#define RECORD_GROUP 8           /* operations that are timed together, see record_group */
#define RECORD_QUICK 2000U       /* ns of an operation, below which they are */
#define RECORD_SLOW 16000U       /* ns, from which on one among them is told apart */

/* One interval of one kind; its latencies are packed from `at` on in the kind's bytes. */
struct interval {
  uint64_t operations, bytes, max; /* max in ns */
  size_t at;
};

struct series {
  struct interval open;              /* the interval that runs; operations: those without latency */
  uint64_t count[HISTOGRAM_CLASSES]; /* the latencies of all others by class */
  struct interval *closed;           /* record.closed of them */
  unsigned char *packed;
  size_t length, room;
};

struct record {
  bool off;                            /* nothing is recorded */
  bool on;                             /* the phase has begun to be recorded on this rank */
  bool apart;                          /* this operation is timed by its parts */
  uint32_t until_apart;                /* operations */
  uint64_t boundary;                   /* ticks: when the open interval ends */
  uint64_t newest;                     /* ticks: when the latest operation ended */
  uint64_t zero;                       /* when the phase began, on the clock of now_ns() */
  double epoch;                        /* the same in UTC s since 1970, on this host's clock */
  int shift;                           /* an interval is 2^shift s */
  size_t closed;                       /* intervals, of every kind */
  struct series *series[RECORD_KINDS]; /* NULL: none of that kind yet */
  double first, last;    /* when operations ended, s from zero; < 0: none yet, as below */
  double stonewall, end; /* s from zero */
  uint64_t stonewall_operations;
  double cpu_zero,
      cpu; /* s of user and system time: of the process before the phase, of the phase */
  uint64_t part_since;                       /* ticks */
  uint64_t part_ticks[RECORD_PARTS], parted; /* of operations timed by their parts, and how many */
  double part[RECORD_PARTS];                 /* s, where every operation's parts are timed */
};
extern struct record record;

/* Returns now(), which is the phase's zero on this rank: its record and the rule that times it
   start from one reading of the clock. Begins nothing where one has begun and not ended. */
double record_begin(void);

/* How many operations this rank has done, calls left out. */
uint64_t record_operations(void);

/* This rank's stonewall is now; its part in the phase is over now. */
void record_stonewall(void);
void record_over(void);

/* An interval of this rank ends before `ticks`. */
void record_advance(uint64_t ticks);
struct series *record_series(enum record_kind kind);

static inline struct series *record_at(enum record_kind kind, uint64_t ticks) {
  if (ticks >= record.boundary) record_advance(ticks);
  record.newest = ticks;
  return record.series[kind] ? record.series[kind] : record_series(kind);
}

/* An operation that began at `start` ended at `end`, both in ticks. True where it was so quick that
   the next ones may go in groups. */
static inline bool record_done(enum record_kind kind, uint64_t bytes, uint64_t start,
                               uint64_t end) {
  if (!record.on) return false;
  struct series *series = record_at(kind, end);
  uint64_t ns = ticks_ns(start, end);
  series->open.bytes += bytes;
  series->count[histogram_class(ns)]++;
  if (ns > series->open.max) series->open.max = ns;
  return ns < RECORD_QUICK;
}

/* Where operations are quicker than a hundred looks at the clock, only the first of so many is
   timed by itself and the others together: RECORD_GROUP of them began at `start`, the first ended
   at `first`, the last at `end`, all in ticks. The first stands for all. One among the others that
   took RECORD_SLOW or longer is counted for itself, with what the others are thought to have taken
   off. True while that goes on. */
void record_uneven(enum record_kind kind, uint64_t first_ns, uint64_t others_ns);
static inline bool record_group(enum record_kind kind, uint64_t bytes, uint64_t start,
                                uint64_t first, uint64_t end) {
  struct series *series = record_at(kind, end);
  uint64_t first_ns = ticks_ns(start, first), others_ns = ticks_ns(first, end);
  series->open.bytes += RECORD_GROUP * bytes;
  if (first_ns >= RECORD_SLOW || others_ns >= RECORD_SLOW) {
    record_uneven(kind, first_ns, others_ns);
    return false;
  }
  series->count[histogram_class(first_ns)] += RECORD_GROUP;
  if (first_ns > series->open.max) series->open.max = first_ns;
  return first_ns + others_ns < RECORD_GROUP * RECORD_QUICK;
}

/* So many operations without a latency of their own ended by `end`. */
static inline void record_count(enum record_kind kind, uint64_t operations, uint64_t end) {
  if (record.on && operations) record_at(kind, end)->open.operations += operations;
}

/* A small file's operation of several parts begins; in one of RECORD_SAMPLE they are told apart. */
static inline void record_apart(void) {
  record.apart = record.on && --record.until_apart == 0;
  if (!record.apart) return;
  record.until_apart = RECORD_SAMPLE;
  record.part_since = ticks_now();
  record.parted++;
}
/* A part of it ended. */
static inline void record_part(enum record_part part) {
  if (!record.apart) return;
  uint64_t ticks = ticks_now();
  record.part_ticks[part] += ticks - record.part_since;
  record.part_since = ticks;
}

/* Adds up what the ranks of world recorded of this phase and writes timeseries.csv, latency.csv,
   histogram.csv and ranks.csv in `directory`, each whole, what earlier phases of this run left in
   them kept; then nothing is recorded until the next record_begin. tell (NULL: nobody) is given
   every operation's latencies at record_shares. Collective, also over ranks that recorded nothing.
 */
#define RECORD_SHARES 5
extern const double record_shares[RECORD_SHARES];
typedef void record_tell(const char *operation, const double seconds[RECORD_SHARES]);
void record_end(const char *directory, const char *phase, record_tell *tell);

/* For record_end. */
void record_close_interval(void);
void record_fold(void); /* pairs of intervals become one each */
void record_unpack(const struct series *series, size_t interval, uint64_t *count); /* adds */
void record_forget(void);

#endif
