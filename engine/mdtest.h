/* The metadata workload: create, stat, read and remove many small files. */
#ifndef HDB_MDTEST_H
#define HDB_MDTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

enum mdtest_operation { MDTEST_CREATE, MDTEST_STAT, MDTEST_READ, MDTEST_REMOVE, MDTEST_RENAME };

/* The directories that hold the items of a rank, or of all: each has `branch` below it, down to
   `depth`. All zero: a single one. */
struct mdtest_tree {
  uint64_t branch, depth;
  uint64_t items; /* of a directory; 0: all in one */
  bool leaf_only; /* items in the lowest directories only */
  uint64_t
      trees; /* how many such trees follow each other, the items of each numbered from 0 on; 0: 1 */
};

struct mdtest_work {
  const char *command;
  const char *directory;
  enum mdtest_operation operation;
  bool own_directories; /* a directory for every rank, else one that all share */
  bool remove_whatever; /* remove every file of ours that is there, whatever the count says */
  bool direct;          /* O_DIRECT */
  uint64_t files;       /* of a rank, at most */
  size_t bytes;         /* of a file */
  int stonewall;        /* seconds, create only; 0: none */
  int32_t seed;
  enum packet_type packet;
  const char *count_file; /* files of every rank: written by create, read by the others */
  const char *output;     /* NULL: none; so with csv */
  const char *csv;

  /* What mdtest on its own can be asked for beyond that. Zero is what the phases of a run do. */
  struct mdtest_tree tree;
  bool directories;  /* the items are directories, not files */
  bool trees_stay;   /* neither made nor removed with the items */
  bool sync_never;   /* the phases call sync after creating, inside the time */
  bool sync_always;  /* after every operation's phase */
  bool sync_file;    /* fsync after writing a file */
  bool unverified;   /* what is read is not compared */
  bool verify_write; /* a file is read back and compared as soon as it is written */
  bool mknod;        /* files are made by mknod */
  bool collective;   /* rank 0 creates for all */
  bool random_stat;  /* in an order of its own, by random_seed */
  int64_t random_seed;
  size_t unread;          /* bytes at the end of a file that are not read */
  int strides_beyond_one; /* how much further a rank goes on between operations; -1: it stays */
  int iteration;
};

struct mdtest_result {
  double time;           /* barrier to barrier, the slowest rank, s */
  double rate;           /* operations that succeeded / time, 1/s */
  double stonewall_time; /* s; 0: no stonewall */
  uint64_t stonewall_items;
  bool leftovers;  /* files of an earlier run were there and were opened, not created */
  uint64_t errors; /* operations that failed, or read wrong data, all ranks */
  uint64_t items;  /* of a rank, failed ones too */
  double own;      /* this rank's time without waiting for the others, s */
};

/* Collective. Its operations go to the record. */
struct mdtest_result mdtest_run(const struct mdtest_work *work);

uint64_t mdtest_directories(const struct mdtest_tree *tree);      /* in a tree */
uint64_t mdtest_item_directories(const struct mdtest_tree *tree); /* of them with items */

/* Items in a tree: UINT64_MAX where it is the only one. */
uint64_t mdtest_tree_items(const struct mdtest_tree *tree);

/* A directory of one of the trees of `owner`, counted level by level; to be freed. */
char *mdtest_tree_path(const struct mdtest_work *work, int owner, uint64_t tree, uint64_t number);

/* The trees of all ranks, outside of any operation; the seconds that this rank took, 0 where it had
   none to remove. */
double mdtest_make_trees(const struct mdtest_work *work);
double mdtest_remove_trees(const struct mdtest_work *work);
/* One directory of them, with a warning where it stays. True: it is removed. */
bool mdtest_remove_directory(const char *path);

/* The names of the items. */
#define MDTEST_FILE "file.mdtest."
#define MDTEST_DIRECTORY "dir.mdtest."

/* After an aborted run, of however many ranks: removes whatever files of this workload there are,
   by their names, in as many trees as there are, nothing else. Returns how many this rank removed.
 */
uint64_t mdtest_remove_files(const struct mdtest_work *work, uint64_t *errors);
/* Whether there are any, in the directories where create puts its files; collective. */
bool mdtest_finds_leftovers(const struct mdtest_work *work);
/* Removes them and the directories; collective. */
void mdtest_remove_leftovers(const char *directory, bool own_directories);

#endif
