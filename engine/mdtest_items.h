/* The items of one rank by their names, and a workload's operation on them, one after the other. */
#ifndef HDB_MDTEST_ITEMS_H
#define HDB_MDTEST_ITEMS_H

#include "common.h"
#include "mdtest.h"
#include "record.h"
#include "ticks.h"

struct mdtest_items {
  const struct mdtest_work *work;
  int owner; /* whose items these are */
  char path[HDB_PATH];
  size_t prefix;        /* bytes of path before the number of the item */
  char *unit;           /* the last digit of that number */
  uint64_t next;        /* the item whose name is the one in path but for that digit */
  uint64_t first, end;  /* the items of the directory in path */
  uint64_t before;      /* items of the trees before that one */
  uint64_t planned;     /* items of a rank */
  char other[HDB_PATH]; /* what an item is renamed to */
  struct packet packet;
  unsigned char *read_buffer;
  int flags; /* of open */
  enum record_kind kind;
  uint64_t moved; /* bytes of an operation */
  bool timed;     /* whether anybody asks when an operation ended */
  uint64_t last;  /* when the latest operation ended, ticks */
  uint64_t errors;
};

/* The items that this rank's part of the work is about. */
void mdtest_items_open(struct mdtest_items *items, const struct mdtest_work *work);
void mdtest_items_close(struct mdtest_items *items);

/* From now on those of another rank. */
void mdtest_items_of(struct mdtest_items *items, int owner);

/* Does the work's operation on the items from `from` to below `to`, or until the wall is reached
   (NULL: there is none). Returns the number after the last one tried; adds to *good how many
   succeeded. */
uint64_t mdtest_items_do(struct mdtest_items *items, uint64_t from, uint64_t to,
                         const struct stonewall *wall, uint64_t *good);

#endif
