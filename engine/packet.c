#include "packet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define STEP 4096     /* `offset` and `incompressible` differ in the first word of every 4 KiB */
#define FOUR_WORDS 32 /* bytes compared at a time */
#define BLOCK 32768   /* bytes that are compared in the order of memory */

bool packet_parse(const char *name, enum packet_type *type) {
  switch (tolower((unsigned char)*name)) {
    case 't': *type = PACKET_TIMESTAMP; return true;
    case 'o': *type = PACKET_OFFSET; return true;
    case 'i': *type = PACKET_INCOMPRESSIBLE; return true;
    case 'r': *type = PACKET_RANDOM; return true;
    default: return false;
  }
}

/* Words are little-endian on every machine, so that the files can be read on any. */
static void put_word(unsigned char *to, uint64_t word) {
  for (int i = 0; i < 8; i++) to[i] = (unsigned char)(word >> (8 * i));
}

static uint64_t owner_bits(const struct packet *packet) { return (uint64_t)packet->owner << 32; }

static void fill_timestamp(struct packet *packet) {
  uint64_t seed = (uint64_t)(int64_t)packet->seed;
  size_t whole = packet->size / 8 * 8;
  for (size_t i = 0; i < whole; i += 8)
    put_word(packet->data + i, owner_bits(packet) | (seed + i / 8));
  for (size_t i = whole; i < packet->size; i++) packet->data[i] = (unsigned char)i;
}

static void fill_incompressible(struct packet *packet) {
  unsigned int state = (unsigned int)packet->seed + (unsigned int)packet->owner;
  uint64_t word = (uint64_t)rand_r(&state) << 32 | (uint64_t)rand_r(&state);
  size_t whole = packet->size / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) put_word(packet->data + i, word);
  for (size_t i = whole; i < packet->size; i++) packet->data[i] = (unsigned char)i;
}

/* A counter through a mixer of 64 bits: fresh for every transfer, and known again when it is read.
 */
static void fill_random(struct packet *packet, uint64_t offset) {
  uint64_t state = ((uint64_t)(uint32_t)packet->seed << 32 | (uint32_t)packet->owner) ^
                   offset * 0x9e3779b97f4a7c15ULL;
  for (size_t i = 0; i < packet->size; i += 8) {
    uint64_t mixed = state += 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    mixed ^= mixed >> 31;
    unsigned char word[8];
    put_word(word, mixed);
    memcpy(packet->data + i, word, packet->size - i < 8 ? packet->size - i : 8);
  }
}

void packet_make(struct packet *packet, enum packet_type type, int32_t seed, int owner,
                 size_t size) {
  *packet = (struct packet){.type = type, .seed = seed, .owner = owner, .size = size};
  packet->data = page_memory(size);
  if (type == PACKET_INCOMPRESSIBLE)
    fill_incompressible(packet);
  else if (type != PACKET_RANDOM)
    fill_timestamp(packet);
}

void packet_free(struct packet *packet) {
  free(packet->data);
  packet->data = NULL;
}

void packet_at(struct packet *packet, uint64_t offset) {
  if (packet->type == PACKET_TIMESTAMP) return;
  if (packet->type == PACKET_RANDOM) {
    fill_random(packet, offset);
    return;
  }
  uint32_t factor = 1;
  for (size_t i = 0; i + 8 <= packet->size; i += STEP, factor++)
    put_word(packet->data + i, (uint32_t)((uint32_t)offset * factor) | owner_bits(packet));
}

/* Counts along what was read of a `timestamp` packet, where memcmp would fetch as much again from
 * memory: whether the words of these bytes, a multiple of four words, are as they must be. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool
count_along(const struct packet *packet, const unsigned char *read, size_t from, size_t to) {
  typedef uint64_t words __attribute__((vector_size(FOUR_WORDS)));
  const uint64_t first = (uint64_t)(int64_t)packet->seed + from / 8, owner = owner_bits(packet);
  words next = {first, first + 1, first + 2, first + 3}, wrong = {0}, read_words;
  for (size_t i = from; i < to; i += FOUR_WORDS, next += 4) {
    memcpy(&read_words, read + i, FOUR_WORDS);
    wrong |= read_words ^ (next | owner);
  }
  return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
}

/* Returns the bytes of a `timestamp` packet, from its start, that are as they must be: all but the
 * last few, or 0 where they are not or the processor would be slower than memcmp. From the end to
 * the start: the end came last and is still in the processor's cache, and the start is where the
 * next transfer writes first. */
static size_t timestamps_in(const struct packet *packet, const unsigned char *read) {
  size_t whole = packet->size / FOUR_WORDS * FOUR_WORDS;
  if (!__builtin_cpu_supports("avx2")) return 0;
  for (size_t to = whole, from; to; to = from) {
    from = (to - 1) / BLOCK * BLOCK;
    if (!count_along(packet, read, from, to)) return 0;
  }
  return whole;
}
#else
static size_t timestamps_in(const struct packet *packet, const unsigned char *read) {
  (void)packet, (void)read;
  return 0;
}
#endif

bool packet_matches(struct packet *packet, const void *read, uint64_t offset, size_t *where) {
  packet_at(packet, offset);
  const unsigned char *bytes = read;
  size_t i = packet->type == PACKET_TIMESTAMP ? timestamps_in(packet, bytes) : 0;
  if (!memcmp(packet->data + i, bytes + i, packet->size - i)) return true;
  while (bytes[i] == packet->data[i]) i++;
  *where = i;
  return false;
}
