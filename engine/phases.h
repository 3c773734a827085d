/* The phases of a run: which there are, in which order, and what each counts to. */
#ifndef HDB_PHASES_H
#define HDB_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

/* What a run is given: from the INI file and the command line. */
struct run {
  const char *data;      /* the data directory, with its time stamp where asked for */
  const char *results;   /* the result directory, likewise */
  const char *timestamp; /* seeds the data patterns */
  int stonewall;         /* s */
  int rule_stonewall;    /* what the rules ask for, s: 300, or 30 for student clusters */
  int verbosity;
  bool dry, cleanup, extended;
  enum packet_type packet;
};
extern struct run run;

enum phase_kind { PHASE_WRITE, PHASE_READ, PHASE_REMOVE, PHASE_MARK };
/* The group of a score that a phase counts to. EXTENDED ones and CONCURRENT, a group of its own,
 * count to SCOREX only, the others to both. */
enum phase_score {
  SCORE_NONE,
  SCORE_BANDWIDTH,
  SCORE_METADATA,
  SCORE_BANDWIDTH_EXTENDED,
  SCORE_METADATA_EXTENDED,
  SCORE_CONCURRENT
};
/* Which runs go through a phase. */
enum phase_list {
  LIST_STANDARD,      /* all */
  LIST_EXTENDED,      /* those of the extended mode */
  LIST_EXTENDED_2021, /* of them, those whose INI file has `run = TRUE` in the phase's group */
  LIST_TODAY          /* all but those with a group of 2021 */
};

struct phase {
  const char *name;
  const char *group; /* whose options and data pattern it shares; NULL: none */
  enum phase_kind kind;
  enum phase_score counts_to;
  enum phase_list list;
  double (*measure)(struct phase *phase); /* GiB/s or kIOPS */
  double score, time;
  bool done, invalid;
};

/* In the order of a run; ends with a NULL name. */
extern struct phase phases[];

struct phase *phase_named(const char *name);
/* Whether this run's list has the phase. */
bool phase_listed(const struct phase *phase);
/* Whether it is to run: it is listed, and neither the INI file nor --cleanup leaves it out. */
bool phase_enabled(const struct phase *phase);

/* Marks the phase and says why. */
void phase_invalid(struct phase *phase, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Refuses what no phase could run with, before anything is created. */
void phases_check(void);

/* Runs all phases that are enabled and writes their results. */
void phases_run(void);

/* The measurements, each in the file of its workload. */
double measure_ior_easy_write(struct phase *phase);
double measure_ior_easy_read(struct phase *phase);
double measure_ior_easy_random(struct phase *phase);
double measure_ior_hard_write(struct phase *phase);
double measure_ior_hard_read(struct phase *phase);
double measure_ior_dealt(struct phase *phase);
double measure_concurrent(struct phase *phase);
double measure_mdtest(struct phase *phase);
double measure_mdworkbench(struct phase *phase);
double measure_find(struct phase *phase);
double measure_timestamp(struct phase *phase);
void check_ior(void);
void check_dealt(void);
void check_mdtest(void);
void check_find(void);
void check_concurrent(void);

/* Whether the INI file has arguments for a script that it does not name. */
bool find_ignores_arguments(void);

/* Removes the data that the phases left: files of known names and their directories, nothing else.
 */
void remove_ior_data(void);
void remove_mdtest_data(void);
void remove_mdworkbench_data(void);
void remove_concurrent_data(void);

#endif
