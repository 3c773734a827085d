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

/* Whose data this rank moves: a writer its own, a reader on several nodes that of another one. */
int ior_owner(const struct ior_work *work);

#endif
