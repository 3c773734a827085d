#include "small_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "common.h"

bool count_failure(uint64_t *errors, const char *call, const char *path, int error) {
  if (error_is_fatal(error)) fail_call(call, path, -1, error);
  if ((*errors)++ == 0)
    printf("WARNING: rank %d on %s: %s \"%s\": %s (%s)\n", world.launched, world.host, call, path,
           strerror(error), error_name(error));
  return false;
}

bool count_wrong_data(uint64_t *errors, const char *path) {
  if ((*errors)++ == 0)
    printf("WARNING: rank %d on %s: wrong data in \"%s\"\n", world.launched, world.host, path);
  return false;
}

bool small_file_write(int fd, const char *path, const void *data, size_t size, uint64_t *errors) {
  const unsigned char *bytes = data;
  size_t done = 0;
  if (lseek(fd, 0, SEEK_SET) < 0) return count_failure(errors, "lseek", path, errno);
  while (done < size) {
    ssize_t moved = call_write(fd, bytes + done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return count_failure(errors, "write", path, moved ? errno : ENOSPC);
    done += (size_t)moved;
  }
  return true;
}

bool small_file_read(int fd, const char *path, void *buffer, size_t size, size_t *moved,
                     uint64_t *errors) {
  unsigned char *bytes = buffer;
  *moved = 0;
  if (lseek(fd, 0, SEEK_SET) < 0) return count_failure(errors, "lseek", path, errno);
  while (*moved < size) {
    ssize_t more = call_read(fd, bytes + *moved, size - *moved);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return count_failure(errors, "read", path, errno);
    if (more == 0) break;
    *moved += (size_t)more;
  }
  return true;
}
