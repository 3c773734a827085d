/* io_uring: several transfers of a rank under way at once. Compiled where liburing is there. */
#ifdef HAVE_LIBURING
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "io.h"

static void open_file(struct io_file *file) {
  file->fd = io_open_descriptor(file);
  struct io_uring *ring = need_memory(malloc(sizeof *ring));
  int error = -io_uring_queue_init((unsigned int)file->choice.depth, ring, 0);
  if (error > 0)
    fail("io_uring with %d transfers: %s (%s): the kernel may not allow it here; use POSIX",
         file->choice.depth, strerror(error), error_name(error));
  file->state = ring;
}

static void submit(struct io_file *file, struct io_slot *slot) {
  struct io_uring *ring = file->state;
  struct io_uring_sqe *entry = io_uring_get_sqe(ring);
  if (!entry) fail("io_uring: no place in the queue of %d", file->choice.depth);
  if (file->write)
    io_uring_prep_write(entry, file->fd, slot->buffer, (unsigned int)file->size, slot->offset);
  else
    io_uring_prep_read(entry, file->fd, slot->buffer, (unsigned int)file->size, slot->offset);
  io_uring_sqe_set_data(entry, slot);
  int error = -io_uring_submit(ring);
  if (error > 0) fail_call("io_uring_submit", file->path, (int64_t)slot->offset, error);
}

static bool start(struct io_file *file, struct io_slot *slot) {
  submit(file, slot);
  return false;
}

/* What the kernel left of a transfer that it cut short. */
static void finish_by_hand(struct io_file *file, struct io_slot *slot, size_t done) {
  while (done < file->size) {
    off_t offset = (off_t)(slot->offset + done);
    ssize_t moved = file->write ? pwrite(file->fd, slot->buffer + done, file->size - done, offset)
                                : pread(file->fd, slot->buffer + done, file->size - done, offset);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) io_failed(file, (uint64_t)offset, errno);
    if (moved == 0) io_ended(file, (uint64_t)offset);
    done += (size_t)moved;
  }
}

static struct io_slot *wait_for_one(struct io_file *file) {
  struct io_uring *ring = file->state;
  struct io_uring_cqe *entry;
  int error;
  do error = -io_uring_wait_cqe(ring, &entry);
  while (error == EINTR);
  if (error > 0) fail_call("io_uring_wait_cqe", file->path, -1, error);
  struct io_slot *slot = io_uring_cqe_get_data(entry);
  int moved = entry->res;
  io_uring_cqe_seen(ring, entry);
  if (moved == -EINTR || moved == -EAGAIN) moved = 0;
  if (moved < 0) io_failed(file, slot->offset, -moved);
  finish_by_hand(file, slot, (size_t)moved);
  return slot;
}

static void close_file(struct io_file *file) {
  io_uring_queue_exit(file->state);
  free(file->state);
  io_close_descriptor(file);
}

const struct io_interface io_uring_queue = {
    .name = "IOURING",
    .version = "",
    .open = open_file,
    .start = start,
    .wait = wait_for_one,
    .sync = io_sync_descriptor,
    .close = close_file,
};
#else
/* A translation unit must not be empty. */
typedef int io_uring_is_not_compiled_in;
#endif
