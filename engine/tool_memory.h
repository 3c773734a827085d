/* Memory that a tool keeps from the page cache while it measures. */
#ifndef HDB_TOOL_MEMORY_H
#define HDB_TOOL_MEMORY_H

#include <stdint.h>

/* "2g" or "75%" of a node's memory in bytes, or a refusal; NULL: 0. */
uint64_t memory_amount(const char *text, const char *tool);

/* Occupies so much of each node's memory, shared among its ranks; NULL: nothing. Returns what
   is to be freed. Collective. */
void *memory_occupy(const char *amount, const char *tool);

#endif
