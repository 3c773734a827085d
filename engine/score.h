/* The score of a run and its hash. */
#ifndef HDB_SCORE_H
#define HDB_SCORE_H

#include <stdbool.h>
#include <stdint.h>

/* Writes [SCORE], and [SCOREX] of an extended run, to the files. `invalid` where something else
 * than a phase makes the run invalid.
 */
void score_write(bool invalid);

#endif
