/* What ior was asked for, what its passes measured, and how that is told. */
#ifndef HDB_TOOL_IOR_H
#define HDB_TOOL_IOR_H

#include <stdio.h>

#include "ior.h"
#include "statistics.h"

enum ior_format { IOR_TEXT, IOR_JSON, IOR_CSV };

/* One pass over the data. */
struct ior_record {
  struct ior_result result;
  int iteration;
  bool write, verified; /* of what was written: by the check that followed */
};

struct ior_session {
  struct ior_work work; /* as given; each pass changes a copy */
  bool write, read;     /* which passes an iteration has */
  bool check;           /* read what was written once more and compare; not reported */
  bool check_read;      /* compare what is read */
  bool keep;            /* leave the files */
  bool keep_with_error; /* those with wrong data */
  bool multi_file;      /* every iteration has files of its own */
  bool task_order;      /* -C */
  int64_t task_offset, reference, delay;
  int64_t minutes;          /* after which no iteration begins; 0: none is left out */
  int tasks;                /* ranks that take part; -1: all */
  const char *memory;       /* what each node is to occupy, NULL: nothing */
  const char *summary_file; /* NULL: stdout */
  enum ior_format format;
  FILE *out; /* rank 0; else NULL */
  const char *began;
  struct ior_record *records;
  size_t count;
};

/* Reads the command line, or refuses it in one line. False: it asked for help. */
bool ior_arguments(int argc, char **argv);
struct ior_session ior_session_given(const char *command);

/* Rank 0 only. The head before the first pass, a row after each, a summary after the last. */
void ior_tell_head(const struct ior_session *session);
void ior_tell_pass(const struct ior_session *session, const struct ior_work *work,
                   const struct ior_record *record);
/* Adds a row to the file with a row a rank where there was wrong data: write,errors,<transfers>. */
void ior_tell_errors(const struct ior_work *work, const struct ior_record *record);
void ior_tell_removal(const struct ior_session *session, double seconds, int iteration);
void ior_tell_summary(const struct ior_session *session);
void ior_tell_json(const struct ior_session *session);

/* What the summary says of all passes of one kind. */
struct ior_summary {
  struct statistics bandwidth; /* B/s */
  double time;                 /* mean, s */
  double stonewall_time;       /* mean, s; 0: it was not hit */
  double stonewall_rate;       /* data of a rank at the stonewall over that time, B/s */
  bool verified;
  uint64_t errors; /* transfers with wrong data */
};
/* False: there were none of them. */
bool ior_summary_of(const struct ior_session *session, bool write, struct ior_summary *summary);

#endif
