#include "tool_paths.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

static bool is_directory(const char *path) {
  struct stat status;
  return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* 0 or an error of errno. */
static int obstacle(const char *path) {
  if (is_directory(path)) return EISDIR;
  if (!access(path, F_OK)) return access(path, W_OK) ? errno : 0;
  char *copy = format_text("%s", path);
  int error = access(dirname(copy), W_OK | X_OK) ? errno : 0;
  free(copy);
  return error;
}

void path_for_output(const char *tool, const char *option, const char *path) {
  if (!path) return;
  int error = world.rank == 0 ? obstacle(path) : 0;
  MPI_Bcast(&error, 1, MPI_INT, 0, world.comm);
  if (error)
    refuse("%s: %s = %s cannot be written: %s (%s)", tool, option, path, strerror(error),
           error_name(error));
}

void path_of_file(const char *tool, const char *option, const char *path) {
  int there = world.rank == 0 && is_directory(path);
  MPI_Bcast(&there, 1, MPI_INT, 0, world.comm);
  if (there) refuse("%s: %s %s is a directory: name a file in it", tool, option, path);
}
