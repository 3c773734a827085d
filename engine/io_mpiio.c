/* MPI-IO: explicit offsets, each rank on its own or all ranks together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "io.h"

static _Noreturn void fail_mpi(const struct io_file *file, const char *call, int64_t offset,
                               int code) {
  int error = errno;
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  /* Open MPI has no class for a file system that is full, but errno tells. */
  char *reason = !error_is_fatal(error) ? format_text("%s", text)
                                        : format_text("%s (%s); MPI calls it %s", strerror(error),
                                                      error_name(error), text);
  if (offset < 0) fail("%s \"%s\": %s", call, file->path, reason);
  fail("%s \"%s\" at offset %lld: %s", call, file->path, (long long)offset, reason);
}

static void open_file(struct io_file *file) {
  MPI_File *handle = need_memory(malloc(sizeof *handle));
  MPI_Comm ranks = file->shared ? world.comm : MPI_COMM_SELF;
  int mode = file->write ? MPI_MODE_RDWR | MPI_MODE_CREATE : MPI_MODE_RDONLY;
  int code = MPI_File_open(ranks, file->path, mode, MPI_INFO_NULL, handle);
  if (code) fail_mpi(file, "MPI_File_open", -1, code);
  file->state = handle;
}

static bool start(struct io_file *file, struct io_slot *slot) {
  MPI_File handle = *(MPI_File *)file->state;
  MPI_Offset offset = (MPI_Offset)slot->offset;
  MPI_Status status;
  int size = (int)file->size, code, moved = 0;
  if (file->write)
    code = file->choice.collective
               ? MPI_File_write_at_all(handle, offset, slot->buffer, size, MPI_BYTE, &status)
               : MPI_File_write_at(handle, offset, slot->buffer, size, MPI_BYTE, &status);
  else
    code = file->choice.collective
               ? MPI_File_read_at_all(handle, offset, slot->buffer, size, MPI_BYTE, &status)
               : MPI_File_read_at(handle, offset, slot->buffer, size, MPI_BYTE, &status);
  if (code) fail_mpi(file, file->write ? "MPI_File_write_at" : "MPI_File_read_at", offset, code);
  MPI_Get_count(&status, MPI_BYTE, &moved);
  if (moved < size) io_ended(file, slot->offset + (uint64_t)moved);
  return true;
}

static void sync_file(struct io_file *file) {
  int code = MPI_File_sync(*(MPI_File *)file->state);
  if (code) fail_mpi(file, "MPI_File_sync", -1, code);
}

static void close_file(struct io_file *file) {
  int code = MPI_File_close(file->state);
  if (code) fail_mpi(file, "MPI_File_close", -1, code);
  free(file->state);
}

const struct io_interface io_mpiio = {
    .name = "MPIIO",
    .version = "(3.1)",
    .open = open_file,
    .start = start,
    .wait = NULL,
    .sync = sync_file,
    .close = close_file,
};
