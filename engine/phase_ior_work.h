/* What the phases of bulk data share with each other. */
#ifndef HDB_PHASE_IOR_WORK_H
#define HDB_PHASE_IOR_WORK_H

#include <stdint.h>

#include "common.h"
#include "ior.h"
#include "phases.h"

/* <results>/<name><suffix>; to be freed. */
char *in_results(const char *name, const char *suffix);

/* The interface that the phase asks for; refused where it cannot be had. */
struct io_choice io_of(const struct phase *phase);

/* Refuses a blockSize that is no multiple of `part` bytes, which `what` = `given` stands for. */
void check_block(const char *group, const char *what, uint64_t part, const char *given);

/* What all options do not say: seed, stonewall, files of results. measure_work frees its texts. */
struct ior_work work_of(const struct phase *phase);

/* The same without anything that it would leave in the results. */
struct ior_work bare_work_of(const char *phase);

/* How the phase's command line begins; its data are to be freed. */
struct text ior_command(const struct phase *phase);

/* Runs one phase, writes its keys and says what makes it invalid. GiB/s. */
double measure_work(struct phase *phase, struct ior_work *work);

#endif
