/* The directories that mdtest's items lie in. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "mdtest.h"

static char *top_of(const struct mdtest_work *work) {
  return format_text("%s/test-dir.0-%d", work->directory, work->iteration);
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

/* A directory of a tree; they are counted level by level, so that the one above is known. */
char *mdtest_tree_path(const struct mdtest_work *work, int owner, uint64_t number) {
  char *above =
      number ? mdtest_tree_path(work, owner, (number - 1) / work->tree.branch) : top_of(work);
  char *path = work->own_directories
                   ? format_text("%s/mdtest_tree.%d.%" PRIu64, above, owner, number)
                   : format_text("%s/mdtest_tree.%" PRIu64, above, number);
  free(above);
  return path;
}

static void make_directory(const char *path) {
  if (mkdir(path, 0775) && errno != EEXIST) fail_call("mkdir", path, -1, errno);
}

double mdtest_make_trees(const struct mdtest_work *work) {
  if (world.rank == 0) {
    make_directory(work->directory);
    char *top = top_of(work);
    make_directory(top);
    free(top);
  }
  MPI_Barrier(world.comm);
  double start = now();
  uint64_t count = work->own_directories || world.rank == 0 ? mdtest_directories(&work->tree) : 0;
  for (uint64_t i = 0; i < count; i++) {
    char *tree = mdtest_tree_path(work, world.rank, i);
    make_directory(tree);
    free(tree);
  }
  return now() - start;
}

double mdtest_remove_trees(const struct mdtest_work *work) {
  double start = now();
  uint64_t count = work->own_directories || world.rank == 0 ? mdtest_directories(&work->tree) : 0;
  while (count--) {
    char *tree = mdtest_tree_path(work, world.rank, count);
    if (rmdir(tree) && errno != ENOENT)
      printf("WARNING: rank %d on %s: \"%s\" stays: %s\n", world.launched, world.host, tree,
             strerror(errno));
    free(tree);
  }
  double own = now() - start;
  MPI_Barrier(world.comm);
  if (world.rank == 0) {
    char *top = top_of(work);
    rmdir(top);
    if (!work->trees_stay) rmdir(work->directory);
    free(top);
  }
  return own;
}
