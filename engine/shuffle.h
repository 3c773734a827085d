/* A random order without a list of it. */
#ifndef HDB_SHUFFLE_H
#define HDB_SHUFFLE_H

#include <stdint.h>

/* The place of `index` in a permutation of 0 .. count - 1 that the key chooses. */
uint64_t shuffled(uint64_t index, uint64_t count, uint64_t key);

#endif
