/* The directories that mdtest's items lie in. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "mdtest.h"

static char *top_of(const struct mdtest_work *work, uint64_t tree) {
  return format_text("%s/test-dir.%d-%" PRIu64, work->directory, work->iteration, tree);
}

static uint64_t trees_of(const struct mdtest_work *work) {
  return work->tree.trees ? work->tree.trees : 1;
}

uint64_t mdtest_directories(const struct mdtest_tree *tree) {
  uint64_t level = 1, all = 1;
  for (uint64_t i = 0; i < tree->depth; i++) all += level *= tree->branch;
  return all;
}

uint64_t mdtest_item_directories(const struct mdtest_tree *tree) {
  uint64_t leaves = 1;
  for (uint64_t i = 0; i < tree->depth; i++) leaves *= tree->branch;
  return tree->leaf_only ? leaves : mdtest_directories(tree);
}

uint64_t mdtest_tree_items(const struct mdtest_tree *tree) {
  return tree->trees > 1 ? tree->items * mdtest_item_directories(tree) : UINT64_MAX;
}

/* A directory of a tree; they are counted level by level, so that the one above is known. */
char *mdtest_tree_path(const struct mdtest_work *work, int owner, uint64_t tree, uint64_t number) {
  char *above = number ? mdtest_tree_path(work, owner, tree, (number - 1) / work->tree.branch)
                       : top_of(work, tree);
  char *path = work->own_directories
                   ? format_text("%s/mdtest_tree.%d.%" PRIu64, above, owner, number)
                   : format_text("%s/mdtest_tree.%" PRIu64, above, number);
  free(above);
  return path;
}

static void make_directory(const char *path) {
  if (mkdir(path, 0775) && errno != EEXIST) fail_call("mkdir", path, -1, errno);
}

/* Directories that this rank makes and removes in each tree. */
static uint64_t own_directories(const struct mdtest_work *work) {
  return work->own_directories || world.rank == 0 ? mdtest_directories(&work->tree) : 0;
}

double mdtest_make_trees(const struct mdtest_work *work) {
  if (world.rank == 0) {
    make_directory(work->directory);
    for (uint64_t tree = 0; tree < trees_of(work); tree++) {
      char *top = top_of(work, tree);
      make_directory(top);
      free(top);
    }
  }
  MPI_Barrier(world.comm);
  double start = now();
  uint64_t count = own_directories(work);
  for (uint64_t tree = 0; tree < trees_of(work); tree++)
    for (uint64_t i = 0; i < count; i++) {
      char *path = mdtest_tree_path(work, world.rank, tree, i);
      make_directory(path);
      free(path);
    }
  return now() - start;
}

bool mdtest_remove_directory(const char *path) {
  if (!rmdir(path)) return true;
  if (errno != ENOENT)
    printf("WARNING: rank %d on %s: \"%s\" stays: %s\n", world.launched, world.host, path,
           strerror(errno));
  return false;
}

/* Returns whether there was one. */
static bool remove_tree(const struct mdtest_work *work, uint64_t tree) {
  bool there = false;
  for (uint64_t i = own_directories(work); i > 0; i--) {
    char *path = mdtest_tree_path(work, world.rank, tree, i - 1);
    there |= mdtest_remove_directory(path);
    free(path);
  }
  return there;
}

double mdtest_remove_trees(const struct mdtest_work *work) {
  double start = now();
  bool there = false;
  for (uint64_t tree = 0; tree < trees_of(work); tree++) there |= remove_tree(work, tree);
  double own = there ? now() - start : 0;
  MPI_Barrier(world.comm);
  if (world.rank != 0) return own;
  for (uint64_t tree = 0; tree < trees_of(work); tree++) {
    char *top = top_of(work, tree);
    rmdir(top);
    free(top);
  }
  if (!work->trees_stay) rmdir(work->directory);
  return own;
}
