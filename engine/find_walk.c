#include "find_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "hash.h"
#include "record.h"
#include "small_file.h"

#define ENTRIES_AT_ONCE 32768 /* bytes: what readdir asks for */

void queue_push(struct find_queue *queue, char kind, const char *path) {
  if (queue->length == queue->room) {
    queue->room = queue->room ? 2 * queue->room : 1024;
    queue->entries = need_memory(realloc(queue->entries, queue->room * sizeof *queue->entries));
  }
  size_t length = strlen(path) + 1;
  char *entry = need_memory(malloc(length + 1));
  entry[0] = kind;
  memcpy(entry + 1, path, length);
  queue->entries[queue->length++] = entry;
}

/* The newest entry, to be freed; NULL where there is none. */
static char *queue_pop(struct find_queue *queue) {
  return queue->length ? queue->entries[--queue->length] : NULL;
}

static void count_error(struct find_walk *walk, const char *call, const char *path, int error) {
  count_failure(&walk->errors, call, path, error);
}

static void found(struct find_walk *walk, const char *path) {
  walk->found++;
  if (walk->work->print) puts(path);
}

static void check_file(struct find_walk *walk, const char *path) {
  const struct find_work *work = walk->work;
  struct stat status;
  walk->checked++;
  if (!work->newer_than && work->size < 0) {
    found(walk, path);
    return;
  }
  uint64_t start = ticks_now();
  int error = lstat(path, &status) ? errno : 0;
  record_done(RECORD_LSTAT, 0, start, ticks_now());
  if (error) {
    count_error(walk, "lstat", path, error);
    return;
  }
  if (work->size >= 0 && status.st_size != work->size) return;
  if (work->newer_than && status.st_ctime < walk->newer_than) return;
  found(walk, path);
}

static bool is_directory(struct find_walk *walk, const struct dirent64 *entry, const char *path) {
  if (entry->d_type != DT_UNKNOWN) return entry->d_type == DT_DIR;
  struct stat status; /* a file system that does not say */
  if (!lstat(path, &status)) return S_ISDIR(status.st_mode);
  count_error(walk, "lstat", path, errno);
  return false;
}

static bool matches(const struct find_work *work, const char *name) {
  if (work->regex) return !regexec(work->regex, name, 0, NULL, 0);
  return strstr(name, work->name_part);
}

/* Whether the name is to be looked at at all: of this rank, and matching. */
static bool counts(struct find_walk *walk, const char *name) {
  if (walk->work->hash_names && hash_text(0, name) % (uint32_t)walk->ranks != (uint32_t)walk->rank)
    return false;
  walk->total++;
  if (matches(walk->work, name)) return true;
  walk->checked++;
  return false;
}

/* The queue is for others to take work from. */
static void see_file(struct find_walk *walk, const char *path) {
  bool shared = walk->ranks > 1 && !walk->work->hash_names;
  if (shared && walk->queue.length < (size_t)walk->work->queue_length)
    queue_push(&walk->queue, 'f', path);
  else
    check_file(walk, path);
}

/* Where the names of a directory's entries go, after its own path. */
struct child {
  char path[HDB_PATH];
  size_t prefix;
};

static void see_entry(struct find_walk *walk, const struct dirent64 *entry, struct child *child) {
  const char *name = entry->d_name;
  if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]))) return;
  /* Most entries are files that do not match: they need no path. */
  if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN && !counts(walk, name)) return;
  size_t room = strlen(name) + 1;
  if (child->prefix + room > sizeof child->path) {
    count_error(walk, "opendir", child->path, ENAMETOOLONG);
    return;
  }
  memcpy(child->path + child->prefix, name, room);
  if (is_directory(walk, entry, child->path))
    queue_push(&walk->queue, 'd', child->path);
  else if (entry->d_type != DT_UNKNOWN || counts(walk, name))
    see_file(walk, child->path);
}

static bool is_over(struct find_walk *walk) {
  double stonewall = walk->work->stonewall;
  if (stonewall > 0 && now() - walk->start > stonewall) walk->stopped = true;
  return walk->stopped;
}

/* getdents64 as readdir would call it, without a copy of each entry and with its time in sight. */
static void read_entries(struct find_walk *walk, int fd, struct child *child) {
  _Alignas(struct dirent64) char buffer[ENTRIES_AT_ONCE];
  for (;;) {
    uint64_t before = walk->total, start = ticks_now();
    ssize_t bytes = getdents64(fd, buffer, sizeof buffer);
    record_done(RECORD_GETDENTS, 0, start, ticks_now());
    if (bytes < 0) {
      child->path[child->prefix] = '\0';
      count_error(walk, "getdents64", child->path, errno);
    }
    if (bytes <= 0) return;
    for (const char *at = buffer; at < buffer + bytes;) {
      const struct dirent64 *entry = (const void *)at;
      see_entry(walk, entry, child);
      at += entry->d_reclen;
    }
    record_count(RECORD_ENTRY, walk->total - before, ticks_now());
    walk->poll(walk->poll_argument);
    if (is_over(walk)) return;
  }
}

static void read_directory(struct find_walk *walk, const char *path) {
  struct child child;
  child.prefix = strlen(path);
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    count_error(walk, "open", path, errno);
    return;
  }
  memcpy(child.path, path, child.prefix);
  if (child.path[child.prefix - 1] != '/') child.path[child.prefix++] = '/';
  read_entries(walk, fd, &child);
  close(fd);
}

bool walk_step(struct find_walk *walk) {
  char *entry = queue_pop(&walk->queue);
  if (!entry) return false;
  if (is_over(walk)) {
    free(entry);
    return true;
  }
  if (*entry == 'd') {
    walk->checked++;
    read_directory(walk, entry + 1);
  } else {
    check_file(walk, entry + 1);
  }
  free(entry);
  return true;
}
