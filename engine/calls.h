/* System calls of the timed loops, bare. In a program with a second thread, and MPI libraries keep
   one, the C library puts two locked instructions around each of its own functions of these names,
   for threads that might be cancelled: some 4 % of opening, reading and closing a small file in
   memory. Nobody cancels threads here. Results and errno are as usual. */
#ifndef HDB_CALLS_H
#define HDB_CALLS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline int call_open(const char *path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline ssize_t call_read(int fd, void *buffer, size_t size) {
  return (ssize_t)syscall(SYS_read, fd, buffer, size);
}

static inline ssize_t call_write(int fd, const void *buffer, size_t size) {
  return (ssize_t)syscall(SYS_write, fd, buffer, size);
}

static inline int call_close(int fd) { return (int)syscall(SYS_close, fd); }

#endif
