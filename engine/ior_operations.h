/* A file for every rank and pass with a row for every transfer. */
#ifndef HDB_IOR_OPERATIONS_H
#define HDB_IOR_OPERATIONS_H

#include <stdint.h>
#include <stdio.h>

#include "ior.h"

/* <operations>-write-<iteration>-<rank>.csv, or -read-; NULL where work asks for none. */
FILE *ior_operations_open(const struct ior_work *work);

/* A transfer from start to end, ticks: s since the first one, s, B/s. */
void ior_operation(FILE *file, const struct ior_work *work, uint64_t start, uint64_t end);

void ior_operations_close(FILE *file, const struct ior_work *work);

#endif
