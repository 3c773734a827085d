/* System calls of the timed loops, straight to the kernel. The C library's functions of these names
   lie elsewhere in memory and are reached by a table, which a call of the kernel has pushed out of
   the processor's nearest caches: some 3 % of opening, reading and closing a small file in memory.
   And in a program with a second thread, and MPI libraries keep one, they put two locked
   instructions around some, for threads that might be cancelled: another 4 %. Nobody cancels
   threads here. Results and errno are as usual. */
#ifndef HDB_CALLS_H
#define HDB_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)
#define CALLS_ARE_KNOWN
static inline long calls_enter(long number, long a, long b, long c, long d) {
  register long fourth __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__) && defined(__LP64__)
#define CALLS_ARE_KNOWN
static inline long calls_enter(long number, long a, long b, long c, long d) {
  register long which __asm__("x8") = number;
  register long first __asm__("x0") = a, second __asm__("x1") = b, third __asm__("x2") = c,
                      fourth __asm__("x3") = d;
  __asm__ volatile("svc #0"
                   : "+r"(first)
                   : "r"(which), "r"(second), "r"(third), "r"(fourth)
                   : "memory");
  return first;
}
#endif

static inline long call(long number, long a, long b, long c, long d) {
#ifdef CALLS_ARE_KNOWN
  /* The kernel answers with -errno, which is above all that a good call returns. */
  long result = calls_enter(number, a, b, c, d);
  if (__builtin_expect((unsigned long)result <= -4096UL, 1)) return result;
  errno = (int)-result;
  return -1;
#else
  return syscall(number, a, b, c, d);
#endif
}

static inline int call_open(const char *path, int flags, mode_t mode) {
  return (int)call(SYS_openat, AT_FDCWD, (long)path, flags, (long)mode);
}

static inline ssize_t call_read(int fd, void *buffer, size_t size) {
  return call(SYS_read, fd, (long)buffer, (long)size, 0);
}

static inline ssize_t call_write(int fd, const void *buffer, size_t size) {
  return call(SYS_write, fd, (long)buffer, (long)size, 0);
}

static inline int call_close(int fd) { return (int)call(SYS_close, fd, 0, 0, 0); }

/* Elsewhere these have other names, or other layouts of what they take and give. */
#ifdef CALLS_ARE_KNOWN
static inline off_t call_lseek(int fd, off_t offset) {
  return call(SYS_lseek, fd, offset, SEEK_SET, 0);
}

static inline int call_stat(const char *path, struct stat *status) {
  return (int)call(SYS_newfstatat, AT_FDCWD, (long)path, (long)status, 0);
}

static inline int call_unlink(const char *path) {
#ifdef SYS_unlink
  return (int)call(SYS_unlink, (long)path, 0, 0, 0);
#else
  return (int)call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0);
#endif
}
#else
static inline off_t call_lseek(int fd, off_t offset) { return lseek(fd, offset, SEEK_SET); }
static inline int call_stat(const char *path, struct stat *status) { return stat(path, status); }
static inline int call_unlink(const char *path) { return unlink(path); }
#endif

#endif
