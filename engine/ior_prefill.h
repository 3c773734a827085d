/* Filling a segment in large pieces before it is written at random, so that no write extends the
   file. */
#ifndef HDB_IOR_PREFILL_H
#define HDB_IOR_PREFILL_H

#include <stdbool.h>
#include <stdint.h>

#include "io.h"
#include "ior.h"

/* Whether any rank stops. Every rank asks before each segment, and says when it stops by itself; so
   all leave in the same segment. Collective. */
bool ior_prefill_stops(bool own);

/* Writes this rank's block of a segment in order, in transfers of work->prefill bytes. Leaves when
   all ranks have: none may overwrite what another has already written at random. Collective. */
void ior_prefill(const struct ior_work *work, struct io_file *file, uint64_t segment);

#endif
