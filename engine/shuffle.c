/* A Feistel network over the next power of 4, walked until it hits the range: a permutation for any
   count, in the same few instructions for every index. */
#include "shuffle.h"

#define ROUNDS 4

static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

uint64_t shuffled(uint64_t index, uint64_t count, uint64_t key) {
  unsigned int bits = 1; /* of a half */
  while (bits < 32 && count > 1ULL << (2 * bits)) bits++;
  uint64_t mask = (1ULL << bits) - 1;
  do {
    uint64_t left = index >> bits, right = index & mask;
    for (uint64_t round = 0; round < ROUNDS; round++) {
      uint64_t next = left ^ (mix(right + key + round * 0x9e3779b97f4a7c15ULL) & mask);
      left = right;
      right = next;
    }
    index = left << bits | right;
  } while (index >= count);
  return index;
}
