/* What is written and what must be read back. */
#ifndef HDB_PACKET_H
#define HDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packet_type { PACKET_TIMESTAMP, PACKET_OFFSET, PACKET_INCOMPRESSIBLE, PACKET_RANDOM };

/* By its first letter, as upstream does; false for any other. */
bool packet_parse(const char *name, enum packet_type *type);

/* A buffer of `size` bytes as the rank `owner` writes it. */
struct packet {
  enum packet_type type;
  int32_t seed;
  int owner;
  size_t size;
  unsigned char *data; /* aligned to a page, for direct I/O */
};
void packet_make(struct packet *packet, enum packet_type type, int32_t seed, int owner,
                 size_t size);
void packet_free(struct packet *packet);

/* Fills in what depends on where in the file the transfer goes. Nothing to do for `timestamp`. */
void packet_at(struct packet *packet, uint64_t offset);

/* Whether `read` is what the packet's owner wrote at offset. *where is the first wrong byte. */
bool packet_matches(struct packet *packet, const void *read, uint64_t offset, size_t *where);

#endif
