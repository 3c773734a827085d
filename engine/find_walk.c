#include "find_walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"
#include "hash.h"
#include "small_file.h"

#define POLL_EVERY 256

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

static void check_file(struct find_walk *walk, const char *path) {
  const struct find_work *work = walk->work;
  struct stat status;
  walk->checked++;
  if (!work->newer_than && work->size < 0) {
    walk->found++;
    return;
  }
  if (lstat(path, &status)) {
    count_error(walk, "lstat", path, errno);
    return;
  }
  if (work->size >= 0 && status.st_size != work->size) return;
  if (work->newer_than && status.st_ctime < walk->newer_than) return;
  walk->found++;
}

static bool is_directory(struct find_walk *walk, const struct dirent *entry, const char *path) {
  if (entry->d_type != DT_UNKNOWN) return entry->d_type == DT_DIR;
  struct stat status; /* a file system that does not say */
  if (!lstat(path, &status)) return S_ISDIR(status.st_mode);
  count_error(walk, "lstat", path, errno);
  return false;
}

static void see_file(struct find_walk *walk, const char *name, const char *path) {
  if (walk->work->hash_names && hash_text(0, name) % (uint32_t)walk->ranks != (uint32_t)walk->rank)
    return;
  walk->total++;
  if (!strstr(name, walk->work->name_part)) {
    walk->checked++;
    return;
  }
  if (walk->queue.length < (size_t)walk->work->queue_length && !walk->work->hash_names)
    queue_push(&walk->queue, 'f', path);
  else
    check_file(walk, path);
}

static void read_directory(struct find_walk *walk, const char *path) {
  char child[HDB_PATH];
  size_t length = strlen(path);
  DIR *directory = opendir(path);
  if (!directory) {
    count_error(walk, "opendir", path, errno);
    return;
  }
  memcpy(child, path, length);
  if (child[length - 1] != '/') child[length++] = '/';
  int seen = 0;
  struct dirent *entry;
  while (errno = 0, entry = readdir(directory)) {
    const char *name = entry->d_name;
    if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]))) continue;
    size_t room = strlen(name) + 1;
    if (length + room > sizeof child) {
      count_error(walk, "opendir", path, ENAMETOOLONG);
      continue;
    }
    memcpy(child + length, name, room);
    if (is_directory(walk, entry, child))
      queue_push(&walk->queue, 'd', child);
    else
      see_file(walk, name, child);
    if (++seen % POLL_EVERY == 0) walk->poll(walk->poll_argument);
  }
  if (errno) count_error(walk, "readdir", path, errno);
  closedir(directory);
}

bool walk_step(struct find_walk *walk) {
  char *entry = queue_pop(&walk->queue);
  if (!entry) return false;
  if (*entry == 'd') {
    walk->checked++;
    read_directory(walk, entry + 1);
  } else {
    check_file(walk, entry + 1);
  }
  free(entry);
  return true;
}
