#include "ior_prefill.h"

#include "common.h"
#include "packet.h"

bool ior_prefill_stops(bool own) {
  int mine = own, any;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world.comm);
  return any;
}

void ior_prefill(const struct ior_work *work, struct io_file *file, uint64_t segment) {
  struct packet packet;
  size_t transfer = file->size;
  uint64_t ranks = work->file_per_process ? 1 : (uint64_t)world.size;
  uint64_t rank = work->file_per_process ? 0 : (uint64_t)world.rank;
  uint64_t first = (segment * ranks + rank) * work->block;
  packet_make(&packet, work->packet, work->seed, world.rank, work->prefill);
  file->size = work->prefill;
  for (uint64_t done = 0; done < work->block; done += work->prefill) {
    struct io_slot slot = {.buffer = packet.data, .offset = first + done};
    packet_at(&packet, slot.offset);
    if (!file->interface->start(file, &slot)) file->interface->wait(file);
  }
  file->size = transfer;
  packet_free(&packet);
  MPI_Barrier(world.comm);
}
