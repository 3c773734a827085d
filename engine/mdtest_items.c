#include "mdtest_items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "shuffle.h"
#include "small_file.h"

#define ASIDE "-XX" /* what a name gets on while another takes its place */
#define NONE UINT64_MAX

static int stride_of(const struct mdtest_work *work) {
  return (int)((int64_t)(1 + work->strides_beyond_one) * world_node_stride() % world.size);
}

/* Items lie in the directory of the next rank, so that nobody works in a directory it has made
 * itself. */
static int directory_of(const struct mdtest_work *work, int owner) {
  return (owner + stride_of(work)) % world.size;
}

/* Makes path begin with the directory that holds this item. */
static void enter_directory(struct mdtest_items *items, uint64_t number) {
  const struct mdtest_work *work = items->work;
  uint64_t in_one = work->tree.items ? work->tree.items : UINT64_MAX;
  uint64_t which = number / mdtest_tree_items(&work->tree);
  items->before = which ? which * mdtest_tree_items(&work->tree) : 0;
  uint64_t place = (number - items->before) / in_one;
  uint64_t all = mdtest_directories(&work->tree);
  items->first = items->before + place * in_one;
  items->end = items->first + in_one < items->first ? UINT64_MAX : items->first + in_one;
  if (items->end > work->files) items->end = work->files;
  char *tree = mdtest_tree_path(work, directory_of(work, items->owner), which,
                                all - mdtest_item_directories(&work->tree) + place);
  int length = snprintf(items->path, sizeof items->path - 32, "%s/%s%d.", tree,
                        work->directories ? MDTEST_DIRECTORY : MDTEST_FILE, items->owner);
  if (length >= (int)sizeof items->path - 32) fail("%s: the path is too long", tree);
  items->prefix = (size_t)length;
  free(tree);
}

static enum record_kind kind_of(const struct mdtest_work *work) {
  switch (work->operation) {
    case MDTEST_CREATE: return work->directories ? RECORD_MKDIR : RECORD_CREATE;
    case MDTEST_STAT: return RECORD_STAT;
    case MDTEST_READ: return RECORD_READ;
    case MDTEST_RENAME: return RECORD_RENAME;
    default: return work->directories ? RECORD_RMDIR : RECORD_DELETE;
  }
}

void mdtest_items_of(struct mdtest_items *items, int owner) {
  const struct mdtest_work *work = items->work;
  items->owner = owner;
  packet_free(&items->packet);
  packet_make(&items->packet, work->packet, work->seed, owner, work->bytes);
  items->next = NONE;
  enter_directory(items, 0);
}

void mdtest_items_open(struct mdtest_items *items, const struct mdtest_work *work) {
  static const int hops[] = {0, 1, 2, 3, 2}; /* create, stat, read, remove, rename */
  *items = (struct mdtest_items){.work = work};
  mdtest_items_of(items, (world.rank + hops[work->operation] * stride_of(work)) % world.size);
  items->read_buffer = page_memory(work->bytes);
  items->kind = kind_of(work);
  if (items->kind == RECORD_CREATE) items->moved = work->bytes;
  if (items->kind == RECORD_READ) items->moved = work->bytes - work->unread;
  items->flags = O_RDWR;
#ifdef O_DIRECT
  if (work->direct) items->flags |= O_DIRECT;
#endif
}

void mdtest_items_close(struct mdtest_items *items) {
  packet_free(&items->packet);
  free(items->read_buffer);
}

static void name_anew(struct mdtest_items *items, uint64_t number) {
  if (number < items->first || number >= items->end) enter_directory(items, number);
  items->next = number + 1;
  char digits[24];
  size_t count = 0;
  number -= items->before;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  char *to = items->path + items->prefix;
  while (count) *to++ = digits[--count];
  *to = '\0';
  items->unit = to - 1;
}

/* A name is mostly the one before but for its last digit: what all digits cost would be a
 * fiftieth of a stat in memory, and snprintf a tenth of a create. */
static inline void name_item(struct mdtest_items *items, uint64_t number) {
  if (number != items->next || number >= items->end || *items->unit == '9') {
    name_anew(items, number);
    return;
  }
  ++*items->unit;
  items->next = number + 1;
}

static bool count_error(struct mdtest_items *items, const char *call, int error) {
  return count_failure(&items->errors, call, items->path, error);
}

static bool write_content(struct mdtest_items *items, int fd) {
  packet_at(&items->packet, 0);
  return small_file_write(fd, items->path, items->packet.data, items->work->bytes, &items->errors);
}

static bool read_content(struct mdtest_items *items, int fd, size_t size, bool compare) {
  size_t done, where;
  struct packet expected = items->packet;
  expected.size = size;
  if (!small_file_read(fd, items->path, items->read_buffer, size, &done, &items->errors))
    return false;
  if (done < size) return count_wrong_data(&items->errors, items->path, done);
  if (!compare || packet_matches(&expected, items->read_buffer, 0, &where)) return true;
  return count_wrong_data(&items->errors, items->path, where);
}

static bool create_one(struct mdtest_items *items, uint64_t number) {
  name_item(items, number);
  bool made = items->work->mknod;
  record_apart();
  if (made && mknod(items->path, S_IFREG | 0664, 0)) return count_error(items, "mknod", errno);
  if (made && !items->work->bytes) return true;
  int fd = call_open(items->path, items->flags | (made ? 0 : O_CREAT), 0664);
  if (fd < 0) return count_error(items, "open", errno);
  record_part(RECORD_OPEN);
  bool good = true;
  if (items->work->bytes) {
    good = write_content(items, fd);
    record_part(RECORD_TRANSFER);
  }
  if (good && items->work->sync_file) {
    if (fsync(fd)) good = count_error(items, "fsync", errno);
    record_part(RECORD_SYNC);
  }
  if (good && items->work->verify_write) good = read_content(items, fd, items->work->bytes, true);
  if (call_close(fd)) return count_error(items, "close", errno);
  record_part(RECORD_CLOSE);
  return good;
}

static bool stat_one(struct mdtest_items *items, uint64_t number) {
  name_item(items, number);
  struct stat status;
  return !call_stat(items->path, &status) || count_error(items, "stat", errno);
}

static bool read_one(struct mdtest_items *items, uint64_t number) {
  name_item(items, number);
  record_apart();
  int fd = call_open(items->path, items->flags, 0);
  if (fd < 0) return count_error(items, "open", errno);
  record_part(RECORD_OPEN);
  bool good = true;
  if (items->work->bytes != items->work->unread) {
    size_t size = items->work->bytes - items->work->unread;
    good = read_content(items, fd, size, !items->work->unverified);
    record_part(RECORD_TRANSFER);
  }
  if (call_close(fd)) return count_error(items, "close", errno);
  record_part(RECORD_CLOSE);
  return good;
}

static bool remove_one(struct mdtest_items *items, uint64_t number) {
  name_item(items, number);
  return !call_unlink(items->path) || count_error(items, "unlink", errno);
}

static bool create_directory(struct mdtest_items *items, uint64_t number) {
  name_item(items, number);
  return !mkdir(items->path, 0775) || count_error(items, "mkdir", errno);
}

static bool remove_directory(struct mdtest_items *items, uint64_t number) {
  name_item(items, number);
  return !rmdir(items->path) || count_error(items, "rmdir", errno);
}

static bool rename_to_other(struct mdtest_items *items) {
  return !rename(items->path, items->other) || count_error(items, "rename", errno);
}

/* Every item of a directory takes the name of the one before; the first steps aside and gets the
 * last name that is free. */
static bool rename_one(struct mdtest_items *items, uint64_t number) {
  name_anew(items, number);
  uint64_t first = items->first, last = items->end - 1;
  if (number > first && number == last) {
    name_anew(items, first); /* the one that stepped aside */
    strcat(items->path, ASIDE);
  }
  char from[HDB_PATH];
  strcpy(from, items->path);
  name_anew(items, number == first ? number : number - 1);
  strcpy(items->other, items->path);
  if (number == first) strcat(items->other, ASIDE);
  strcpy(items->path, from);
  items->next = NONE;
  bool good = rename_to_other(items);
  if (first == last) rename(items->other, items->path); /* a single one goes back */
  return good;
}

static bool stat_any(struct mdtest_items *items, uint64_t number) {
  return stat_one(items, shuffled(number, items->planned, (uint64_t)items->work->random_seed));
}

typedef bool operation_on_one(struct mdtest_items *items, uint64_t number);

/* An operation's time is from the end of the one before: one look at the clock for each. Inlined
   with its operation: what is left around the system call is as little as in a loop of its own. */
static inline __attribute__((always_inline)) uint64_t
each(struct mdtest_items *items, uint64_t from, uint64_t to, const struct stonewall *wall,
     uint64_t *good, operation_on_one *operate, uint64_t moved) {
  uint64_t succeeded = 0, number = from, end;
  bool quick = false; /* with a stonewall there is a look at the clock after each anyway */
  while (number < to) {
    if (quick && !wall && to - number >= RECORD_GROUP) {
      succeeded += operate(items, number++);
      uint64_t first = ticks_now();
      for (int i = 1; i < RECORD_GROUP; i++) succeeded += operate(items, number++);
      end = ticks_now();
      quick = record_group(items->kind, moved, items->last, first, end);
      items->last = end;
      continue;
    }
    succeeded += operate(items, number++);
    if (!items->timed) continue;
    end = ticks_now();
    quick = record_done(items->kind, moved, items->last, end);
    items->last = end;
    if (wall && stonewall_is_near(wall, end) && stonewall_is_over(wall)) break;
  }
  *good += succeeded;
  return number;
}

uint64_t mdtest_items_do(struct mdtest_items *items, uint64_t from, uint64_t to,
                         const struct stonewall *wall, uint64_t *good) {
  bool directories = items->work->directories;
  switch (items->work->operation) {
    case MDTEST_CREATE:
      if (directories) return each(items, from, to, wall, good, create_directory, 0);
      return each(items, from, to, wall, good, create_one, items->moved);
    case MDTEST_STAT:
      if (items->work->random_stat) return each(items, from, to, wall, good, stat_any, 0);
      return each(items, from, to, wall, good, stat_one, 0);
    case MDTEST_READ: return each(items, from, to, wall, good, read_one, items->moved);
    case MDTEST_RENAME: return each(items, from, to, wall, good, rename_one, 0);
    default:
      if (directories) return each(items, from, to, wall, good, remove_directory, 0);
      return each(items, from, to, wall, good, remove_one, 0);
  }
}
