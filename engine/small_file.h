/* What the metadata workloads do to the content of a small file, and how they count what fails. */
#ifndef HDB_SMALL_FILE_H
#define HDB_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An operation failed: the run ends where nothing after it can be right, else the failure is
   counted, and the first of a rank is said. Returns false, for the caller to hand on. */
bool count_failure(uint64_t *errors, const char *call, const char *path, int error);

/* The same for content that is not what was written. */
bool count_wrong_data(uint64_t *errors, const char *path);

/* lseek to the start and write, or read, `size` bytes. False where that failed and was counted. */
bool small_file_write(int fd, const char *path, const void *data, size_t size, uint64_t *errors);
/* *moved: bytes that the file had, at most size. */
bool small_file_read(int fd, const char *path, void *buffer, size_t size, size_t *moved,
                     uint64_t *errors);

#endif
