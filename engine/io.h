/* How bulk data gets to and from a file: plain POSIX calls, MPI-IO, or io_uring with a queue. */
#ifndef HDB_IO_H
#define HDB_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum io_kind { IO_POSIX, IO_MPIIO, IO_URING };

/* As the INI file chooses it. */
struct io_choice {
  enum io_kind kind;
  bool direct;     /* O_DIRECT */
  bool collective; /* MPI-IO: all ranks in every transfer */
  int depth;       /* io_uring: transfers under way at once; else 1 */
};

/* One transfer: its buffer and where it goes. Its index is its place in the queue. */
struct io_slot {
  unsigned char *buffer;
  uint64_t offset;
  uint64_t started; /* ticks */
};

struct io_file {
  struct io_choice choice;
  const struct io_interface *interface;
  const char *path;
  size_t size; /* of every transfer, bytes */
  bool write;
  bool shared; /* all ranks open the same file */
  int fd;
  void *state; /* the interface's own */
};

struct io_interface {
  const char *name;    /* in reports */
  const char *version; /* in reports */
  void (*open)(struct io_file *file);
  /* Begins a transfer. True where it is finished when this returns. */
  bool (*start)(struct io_file *file, struct io_slot *slot);
  /* Waits for one that was begun and returns it. */
  struct io_slot *(*wait)(struct io_file *file);
  void (*sync)(struct io_file *file);
  void (*close)(struct io_file *file);
};

extern const struct io_interface io_posix, io_mpiio;
#ifdef HAVE_LIBURING
extern const struct io_interface io_uring_queue;
#endif

/* NULL where this engine was compiled without it. */
const struct io_interface *io_interface_of(enum io_kind kind);

/* Opens with the flags that all POSIX-like interfaces share; ends the run where that fails. */
int io_open_descriptor(const struct io_file *file);
void io_sync_descriptor(struct io_file *file);
void io_close_descriptor(struct io_file *file);

/* A transfer moved nothing more: the disk is full or the file too short. Ends the run. */
_Noreturn void io_ended(const struct io_file *file, uint64_t offset);

/* The kernel refused a transfer; with O_DIRECT and EINVAL it says what that means. Ends the run. */
_Noreturn void io_failed(const struct io_file *file, uint64_t offset, int error);

#endif
