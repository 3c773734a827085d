/* What the metadata workloads do to the content of a small file, and how they count what fails. */
#ifndef HDB_SMALL_FILE_H
#define HDB_SMALL_FILE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"

/* An operation failed: the run ends where nothing after it can be right, else the failure is
   counted, and the first of a rank is said. Returns false, for the caller to hand on. */
bool count_failure(uint64_t *errors, const char *call, const char *path, int error);

/* The same for content that is not what was written, or ends before it, from offset `where` on. */
bool count_wrong_data(uint64_t *errors, const char *path, size_t where);

/* lseek to the start and write, or read, `size` bytes. False where that failed and was counted.
 * Inlined: see calls.h. */
static inline bool small_file_write(int fd, const char *path, const void *data, size_t size,
                                    uint64_t *errors) {
  const unsigned char *bytes = data;
  size_t done = 0;
  if (call_lseek(fd, 0) < 0) return count_failure(errors, "lseek", path, errno);
  while (done < size) {
    ssize_t moved = call_write(fd, bytes + done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return count_failure(errors, "write", path, moved ? errno : ENOSPC);
    done += (size_t)moved;
  }
  return true;
}

/* *moved: bytes that the file had, at most size. */
static inline bool small_file_read(int fd, const char *path, void *buffer, size_t size,
                                   size_t *moved, uint64_t *errors) {
  unsigned char *bytes = buffer;
  *moved = 0;
  if (call_lseek(fd, 0) < 0) return count_failure(errors, "lseek", path, errno);
  while (*moved < size) {
    ssize_t more = call_read(fd, bytes + *moved, size - *moved);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return count_failure(errors, "read", path, errno);
    if (more == 0) break;
    *moved += (size_t)more;
  }
  return true;
}

#endif
