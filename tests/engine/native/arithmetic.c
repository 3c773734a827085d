/* Sums of runs far larger than any test can make: 10^12 files, 10^18 bytes. */
#include "../../../engine/ior.c"

#include <assert.h>
#include <stdio.h>

#include "../../../engine/ior_order.h"
#include "../../../engine/mdtest.h"
#include "../../../engine/shuffle.h"

#define TRILLION 1000000000000ULL
#define EXA 1000000000000000000ULL

static void transfers_lie_where_they_belong_in_a_file_of_an_exabyte(void) {
  struct ior_work work = {.transfer = 47008, .block = 47008, .segments = EXA / 47008 / 1024};
  world.size = 1024;
  uint64_t last = ior_share(&work) - 1;
  uint64_t offset = ior_offset(&work, 1023, last);
  assert(offset == (last * 1024 + 1023) * 47008);
  assert(offset > EXA - 1024 * 47008ULL * 2 && offset < EXA);
  assert(ior_planned_bytes(&work) == work.segments * 47008 * 1024);
}

static void a_rank_can_have_an_exabyte_of_its_own(void) {
  struct ior_work work = {
      .transfer = 2 << 20, .block = EXA >> 21 << 21, .segments = 1, .file_per_process = true};
  world.size = 1;
  assert(ior_share(&work) == EXA >> 21);
  assert(ior_offset(&work, 0, ior_share(&work) - 1) == work.block - work.transfer);
}

static void a_shuffle_of_a_trillion_transfers_stays_among_them(void) {
  for (uint64_t i = 0; i < 1000; i++) {
    assert(shuffled(TRILLION - 1 - i, TRILLION, 42) < TRILLION);
    assert(shuffled(i, TRILLION, 42) != shuffled(i + 1, TRILLION, 42));
  }
}

static void random_offsets_lie_in_a_file_of_an_exabyte(void) {
  struct ior_work work = {.transfer = 4096};
  struct ior_random random = {.state = 1, .slots = EXA / 4096};
  uint64_t largest = 0;
  for (int i = 0; i < 100000; i++) {
    uint64_t offset = ior_random_offset(&random, &work);
    assert(offset % 4096 == 0 && offset < EXA);
    if (offset > largest) largest = offset;
  }
  assert(largest > EXA / 2);
}

static void counts_of_a_trillion_go_to_a_file_and_back(void) {
  char path[] = "/tmp/hdb-count-XXXXXX";
  int fd = mkstemp(path);
  assert(fd >= 0);
  close(fd);
  write_count(path, TRILLION);
  assert(read_count(path) == (int64_t)TRILLION);
  unlink(path);
}

static void sums_over_ranks_keep_every_file(void) {
  assert(reduce_count(TRILLION, MPI_SUM) == TRILLION * (uint64_t)world.size);
  assert(reduce_count(8 * EXA, MPI_SUM) == 8 * EXA * (uint64_t)world.size);
}

static void sizes_of_petabytes_are_read_and_printed(void) {
  uint64_t bytes;
  assert(parse_size("888p", &bytes) && bytes == 888ULL << 50);
  assert(!parse_size("99999999999p", &bytes));
  assert(!parse_size("99999999999999999999", &bytes));
  assert(!strcmp(human_size((double)(888ULL << 50)), "888 PiB"));
}

static void trees_have_as_many_directories_as_they_say(void) {
  struct mdtest_tree tree = {.branch = 1000, .depth = 4};
  assert(mdtest_directories(&tree) == 1001001001001ULL);
}

int main(int argc, char **argv) {
  world_start(&argc, &argv);
  int size = world.size;
  transfers_lie_where_they_belong_in_a_file_of_an_exabyte();
  a_rank_can_have_an_exabyte_of_its_own();
  world.size = size;
  a_shuffle_of_a_trillion_transfers_stays_among_them();
  random_offsets_lie_in_a_file_of_an_exabyte();
  counts_of_a_trillion_go_to_a_file_and_back();
  sums_over_ranks_keep_every_file();
  sizes_of_petabytes_are_read_and_printed();
  trees_have_as_many_directories_as_they_say();
  if (world.rank == 0) puts("ok");
  world_end();
  return 0;
}
