/* The hash of IO500's score and configuration. */
#ifndef HDB_HASH_H
#define HDB_HASH_H

#include <stdint.h>

/* h = rotate-left-32(h, 2) + c for every byte of text, c signed. */
uint32_t hash_text(uint32_t hash, const char *text);

/* The hash of one pair, to be XORed into an accumulated one. */
uint32_t hash_pair(const char *key, const char *value);

/* The seed of a group's data pattern: differs between runs by their time stamp. Never 0 or -1. */
int32_t signature(const char *group, const char *timestamp);

#endif
