/* What an aborted run of the metadata workload left, removed by looking and not by counting. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "mdtest.h"
#include "small_file.h"

static bool is_number(const char *text, const char *end) {
  if (text == end) return false;
  while (text < end && isdigit((unsigned char)*text)) text++;
  return text == end;
}

/* file.mdtest.<rank>.<number>, and nothing else. */
static bool is_our_file(const char *name) {
  if (strncmp(name, MDTEST_FILE, strlen(MDTEST_FILE))) return false;
  const char *rank = name + strlen(MDTEST_FILE);
  const char *dot = strchr(rank, '.');
  return dot && is_number(rank, dot) && is_number(dot + 1, dot + strlen(dot));
}

/* Removes the files of this workload in one directory. Returns how many. */
static uint64_t empty_directory(DIR *directory, const char *path, uint64_t *errors) {
  uint64_t removed = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (!is_our_file(entry->d_name)) continue;
    if (unlinkat(dirfd(directory), entry->d_name, 0)) {
      char *file = format_text("%s/%s", path, entry->d_name);
      count_failure(errors, "unlink", file, errno);
      free(file);
    } else {
      removed++;
    }
  }
  return removed;
}

uint64_t mdtest_remove_files(const struct mdtest_work *work, uint64_t *errors) {
  uint64_t removed = 0;
  if (!work->own_directories && world.rank != 0) return 0;
  for (uint64_t tree = 0;; tree++) {
    char *path = mdtest_tree_path(work, world.rank, tree, 0);
    DIR *directory = opendir(path);
    if (directory) removed += empty_directory(directory, path, errors);
    free(path);
    if (!directory) return removed;
    closedir(directory);
  }
}

/* How many trees there are, as rank 0 sees them. */
static uint64_t count_trees(const char *directory) {
  uint64_t trees = 0;
  bool there = world.rank == 0;
  while (there) {
    char *top = format_text("%s/test-dir.0-%llu", directory, (unsigned long long)trees);
    there = !access(top, F_OK);
    trees += there;
    free(top);
  }
  MPI_Bcast(&trees, 1, MPI_UINT64_T, 0, world.comm);
  return trees;
}

void mdtest_remove_leftovers(const char *directory, bool own_directories) {
  uint64_t errors = 0;
  struct mdtest_work work = {.directory = directory,
                             .own_directories = own_directories,
                             .tree = {.trees = count_trees(directory)}};
  mdtest_remove_files(&work, &errors);
  MPI_Barrier(world.comm);
  mdtest_remove_trees(&work);
}
