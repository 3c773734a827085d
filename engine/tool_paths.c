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

static bool is_same(const char *a, const char *b) {
  struct stat of_a, of_b;
  return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Whether the directories of both are the same, and the names but for numbers behind data's. */
static bool is_beside(const char *path, const char *data, bool numbered) {
  const char *name = name_in(path), *data_name = name_in(data);
  if (strncmp(name, data_name, strlen(data_name))) return false;
  const char *rest = name + strlen(data_name);
  if (numbered ? *rest != '.' || rest[strspn(rest, ".0123456789")] : *rest) return false;
  char *of_path = format_text("%s", path), *of_data = format_text("%s", data);
  bool found = is_same(dirname(of_path), dirname(of_data));
  free(of_path);
  free(of_data);
  return found;
}

void path_apart(const char *tool, const char *option, const char *path, const char *data,
                bool numbered) {
  if (!path) return;
  int same =
      world.rank == 0 && (is_beside(path, data, numbered) || (!numbered && is_same(path, data)));
  MPI_Bcast(&same, 1, MPI_INT, 0, world.comm);
  if (same)
    refuse("%s: %s = %s names data of -o %s: results need a file of their own", tool, option, path,
           data);
}

void path_of_file(const char *tool, const char *option, const char *path) {
  int there = world.rank == 0 && is_directory(path);
  MPI_Bcast(&there, 1, MPI_INT, 0, world.comm);
  if (there) refuse("%s: %s %s is a directory: name a file in it", tool, option, path);
}
