#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "common.h"

#define IO_DIRECT_OPTIONS "--posix.odirect, --iouring.odirect or stream's -d"

const struct io_interface *io_interface_of(enum io_kind kind) {
  if (kind == IO_POSIX) return &io_posix;
  if (kind == IO_MPIIO) return &io_mpiio;
#ifdef HAVE_LIBURING
  return &io_uring_queue;
#else
  return NULL;
#endif
}

int io_open_descriptor(const struct io_file *file) {
  int flags = file->write ? O_RDWR | O_CREAT : O_RDONLY;
#ifdef O_DIRECT
  if (file->choice.direct) flags |= O_DIRECT;
#endif
  int fd = open(file->path, flags, 0664);
  if (fd < 0 && errno == EINVAL && file->choice.direct)
    fail("open \"%s\": this file system has no direct I/O (EINVAL): do without " IO_DIRECT_OPTIONS,
         file->path);
  if (fd < 0) fail_call("open", file->path, -1, errno);
  return fd;
}

void io_sync_descriptor(struct io_file *file) {
  if (fsync(file->fd)) fail_call("fsync", file->path, -1, errno);
}

void io_close_descriptor(struct io_file *file) {
  if (close(file->fd)) fail_call("close", file->path, -1, errno);
}

void io_ended(const struct io_file *file, uint64_t offset) {
  if (file->write) fail_call("write", file->path, (int64_t)offset, ENOSPC);
  fail("read \"%s\" at offset %" PRIu64 ": the file ends before the data that was written",
       file->path, offset);
}

void io_failed(const struct io_file *file, uint64_t offset, int error) {
  const char *call = file->write ? "write" : "read";
  if (error == EINVAL && file->choice.direct)
    fail("%s \"%s\" at offset %" PRIu64 ": direct I/O of %zu bytes is refused here (EINVAL): its "
         "size must be a multiple of the device's block; or do without " IO_DIRECT_OPTIONS,
         call, file->path, offset, file->size);
  fail_call(call, file->path, (int64_t)offset, error);
}
