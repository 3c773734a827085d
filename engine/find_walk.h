/* What one rank does to one entry of the tree, and the queue of entries it has yet to see. */
#ifndef HDB_FIND_WALK_H
#define HDB_FIND_WALK_H

#include <stddef.h>

#include "find.h"

struct find_queue {
  char **entries; /* 'd' or 'f', then the path */
  size_t length, room;
};

struct find_walk {
  const struct find_work *work;
  int64_t newer_than; /* s since the epoch */
  int rank, ranks;    /* among those that take part */
  struct find_queue queue;
  uint64_t found, total, checked, errors;
  double start;         /* on the clock of now() */
  bool stopped;         /* by the stonewall: what is queued is dropped */
  void (*poll)(void *); /* called between the pieces of a directory */
  void *poll_argument;
};

void queue_push(struct find_queue *queue, char kind, const char *path);

/* Handles the newest entry: reads a directory or checks a file. False: the queue is empty. */
bool walk_step(struct find_walk *walk);

#endif
