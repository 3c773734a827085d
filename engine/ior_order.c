#include "ior_order.h"

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

int ior_owner(const struct ior_work *work) {
  if (work->write || (work->random && !work->file_per_process)) return world.rank;
  int shift = work->shift * (world.block_mapping ? world.node0_ranks : 1);
  return (world.rank + work->first_writer + shift + work->rank_shift) % (int)writers_of(work);
}
