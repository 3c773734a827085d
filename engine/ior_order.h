/* Where the transfers of the bulk data workload go, and whose data a rank reads. */
#ifndef HDB_IOR_ORDER_H
#define HDB_IOR_ORDER_H

#include <stdint.h>

#include "ior.h"

/* Transfers of a rank. */
uint64_t ior_share(const struct ior_work *work);

/* Where the transfer of this number lies in what `owner` wrote: in order, or shuffled in the same
   way for whoever reads it and in every segment. */
uint64_t ior_offset(const struct ior_work *work, int owner, uint64_t number);

/* Random offsets of this rank: multiples of the transfer size that its file holds. */
struct ior_random {
  uint64_t state, slots;
};
/* path: the file, which a reader must find with a transfer or more in it; else the run ends. */
struct ior_random ior_random_from(const struct ior_work *work, const char *path);
uint64_t ior_random_offset(struct ior_random *random, const struct ior_work *work);

/* Whose data this rank moves: a writer its own, a reader on several nodes that of another one. */
int ior_owner(const struct ior_work *work);

#endif
