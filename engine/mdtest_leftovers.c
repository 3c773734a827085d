/* What an aborted run of the metadata workload left, removed by looking and not by counting. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "leftovers.h"
#include "mdtest.h"
#include "small_file.h"

struct removal {
  uint64_t removed;
  uint64_t *errors;
};

/* file.mdtest.<rank>.<number>, and nothing else. */
static bool is_our_file(const char *name) {
  const char *dot = strrchr(name, '.');
  uint64_t rank, number;
  return dot && numbered_name(dot, ".", "", &number) &&
         numbered_name(name, MDTEST_FILE, dot, &rank);
}

/* Removes the files of this workload in one directory. */
static void empty_directory(const char *path, void *context) {
  struct removal *removal = context;
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (!is_our_file(entry->d_name)) continue;
    if (unlinkat(dirfd(directory), entry->d_name, 0)) {
      char *file = format_text("%s/%s", path, entry->d_name);
      count_failure(removal->errors, "unlink", file, errno);
      free(file);
    } else {
      removal->removed++;
    }
  }
  if (directory) closedir(directory);
}

static void remove_directory(const char *path, void *context) {
  (void)context;
  mdtest_remove_directory(path);
}

/* Calls take with every directory of items that falls to this rank. */
static void each_directory(const struct mdtest_work *work,
                           void (*take)(const char *path, void *context), void *context) {
  for (uint64_t tree = 0;; tree++) {
    char *top = format_text("%s/test-dir.%d-%" PRIu64, work->directory, work->iteration, tree);
    bool there = !access(top, F_OK);
    if (there) each_numbered(top, "mdtest_tree.", work->own_directories ? ".0" : "", take, context);
    free(top);
    if (!there) return;
  }
}

uint64_t mdtest_remove_files(const struct mdtest_work *work, uint64_t *errors) {
  struct removal removal = {.errors = errors};
  each_directory(work, empty_directory, &removal);
  return removal.removed;
}

static void look_for_file(const char *path, void *context) {
  bool *found = context;
  DIR *directory = *found ? NULL : opendir(path);
  for (struct dirent *entry; directory && !*found && (entry = readdir(directory));)
    *found = is_our_file(entry->d_name);
  if (directory) closedir(directory);
}

bool mdtest_finds_leftovers(const struct mdtest_work *work) {
  bool found = false;
  each_directory(work, look_for_file, &found);
  return reduce_count(found, MPI_MAX);
}

static void remove_top(const char *path, void *context) {
  (void)context;
  rmdir(path);
}

void mdtest_remove_leftovers(const char *directory, bool own_directories) {
  uint64_t errors = 0;
  struct mdtest_work work = {.directory = directory, .own_directories = own_directories};
  mdtest_remove_files(&work, &errors);
  MPI_Barrier(world.comm);
  each_directory(&work, remove_directory, NULL);
  MPI_Barrier(world.comm);
  each_numbered(directory, "test-dir.0-", "", remove_top, NULL);
  MPI_Barrier(world.comm);
  if (world.rank == 0) rmdir(directory);
}
