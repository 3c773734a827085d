#include "ior_order.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "common.h"
#include "shuffle.h"

static uint64_t writers_of(const struct ior_work *work) {
  return (uint64_t)(work->writers ? work->writers : world.size);
}

uint64_t ior_share(const struct ior_work *work) {
  return work->block / work->transfer * work->segments;
}

uint64_t ior_offset(const struct ior_work *work, int owner, uint64_t number) {
  uint64_t a_block = work->block / work->transfer, rank = (uint64_t)owner;
  uint64_t segment = number / a_block, place = number % a_block, all = a_block;
  if (!work->file_per_process) {
    all *= writers_of(work);
    place += rank * a_block;
  }
  if (work->shuffle) {
    uint64_t key = (uint64_t)work->offset_seed * 0x9e3779b97f4a7c15ULL;
    place = shuffled(place, all, work->file_per_process ? key + rank : key);
  }
  return (segment * all + place) * work->transfer;
}

struct ior_random ior_random_from(const struct ior_work *work, const char *path) {
  struct ior_random random = {.state = (uint64_t)(uint32_t)(work->seed + work->offset_seed) << 32 |
                                       ((uint32_t)world.rank * 2654435761U | 1)};
  if (work->write) {
    random.slots = ior_share(work) * (work->file_per_process ? 1 : (uint64_t)world.size);
    return random;
  }
  struct stat status;
  if (stat(path, &status)) fail_call("stat", path, -1, errno);
  random.slots = (uint64_t)status.st_size / work->transfer;
  if (!random.slots)
    fail("read \"%s\": the file is smaller than one transfer of %" PRIu64 " bytes", path,
         work->transfer);
  return random;
}

/* xorshift64*: cheap next to a read, and the same offsets again for the same seed and rank. */
uint64_t ior_random_offset(struct ior_random *random, const struct ior_work *work) {
  uint64_t x = random->state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  random->state = x;
  return (x * 0x2545f4914f6cdd1dULL >> 11) % random->slots * work->transfer;
}

int ior_owner(const struct ior_work *work) {
  if (work->write || (work->random && !work->file_per_process)) return world.rank;
  int shift = work->shift * (world.block_mapping ? world.node0_ranks : 1);
  return (world.rank + work->first_writer + shift + work->rank_shift) % (int)writers_of(work);
}
