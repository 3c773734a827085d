/* lseek and write or read, one after the other. */
#include <errno.h>
#include <unistd.h>

#include "calls.h"
#include "common.h"
#include "io.h"

static void open_file(struct io_file *file) { file->fd = io_open_descriptor(file); }

static bool start(struct io_file *file, struct io_slot *slot) {
  size_t done = 0;
  if (call_lseek(file->fd, (off_t)slot->offset) < 0)
    fail_call("lseek", file->path, (int64_t)slot->offset, errno);
  while (done < file->size) {
    ssize_t moved = file->write ? call_write(file->fd, slot->buffer + done, file->size - done)
                                : call_read(file->fd, slot->buffer + done, file->size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) io_failed(file, slot->offset + done, errno);
    if (moved == 0) io_ended(file, slot->offset + done);
    done += (size_t)moved;
  }
  return true;
}

const struct io_interface io_posix = {
    .name = "POSIX",
    .version = "",
    .open = open_file,
    .start = start,
    .wait = NULL, /* never under way */
    .sync = io_sync_descriptor,
    .close = io_close_descriptor,
};
