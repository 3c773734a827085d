#include "tool_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

uint64_t memory_amount(const char *text, const char *tool) {
  if (!text) return 0;
  uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), bytes;
  char *end;
  unsigned long percent = strtoul(text, &end, 10);
  if (end != text && !strcmp(end, "%") && percent <= 100) return all / 100 * percent;
  if (!parse_size(text, &bytes))
    refuse("%s: -M %s: expected a size such as 2g, or a share such as 75%%", tool, text);
  if (bytes > all)
    refuse("%s: -M %s is more than the memory of %s, %" PRIu64 " bytes", tool, text, world.host,
           all);
  return bytes;
}

void *memory_occupy(const char *amount, const char *tool) {
  if (!amount) return NULL;
  MPI_Comm node;
  int ranks;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  uint64_t bytes = memory_amount(amount, tool) / (uint64_t)ranks;
  unsigned char *memory = need_memory(malloc(bytes + 1));
  memset(memory, 1, bytes); /* only pages that hold something take memory */
  MPI_Barrier(world.comm);
  return memory;
}
