#include "mdtest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "files.h"
#include "mdtest_report.h"
#include "record.h"
#include "shuffle.h"
#include "small_file.h"

#define ASIDE "-XX" /* what a name gets on while another takes its place */

/* The files of one rank, and where this rank stands in them. */
struct session {
  const struct mdtest_work *work;
  int owner; /* whose files these are */
  char path[HDB_PATH];
  size_t prefix;        /* bytes of path before the number of the item */
  uint64_t first, end;  /* the items of the directory in path */
  uint64_t before;      /* items of the trees before that one */
  uint64_t planned;     /* items of a rank */
  char other[HDB_PATH]; /* what an item is renamed to */
  struct packet packet;
  unsigned char *read_buffer;
  int flags; /* of open */
  enum record_kind kind;
  uint64_t moved; /* bytes of an operation */
  bool timed;     /* whether anybody asks when an operation ended */
  uint64_t last;  /* when the latest operation ended, ticks */
  uint64_t errors;
};

static int stride_of(const struct mdtest_work *work) {
  return (int)((int64_t)(1 + work->strides_beyond_one) * world_node_stride() % world.size);
}

/* Items lie in the directory of the next rank, so that nobody works in a directory it has made
 * itself. */
static int directory_of(const struct mdtest_work *work, int owner) {
  return (owner + stride_of(work)) % world.size;
}

/* Makes path begin with the directory that holds this item. */
static void enter_directory(struct session *session, uint64_t number) {
  const struct mdtest_work *work = session->work;
  uint64_t items = work->tree.items ? work->tree.items : UINT64_MAX;
  uint64_t which = number / mdtest_tree_items(&work->tree);
  session->before = which ? which * mdtest_tree_items(&work->tree) : 0;
  uint64_t place = (number - session->before) / items;
  uint64_t all = mdtest_directories(&work->tree);
  session->first = session->before + place * items;
  session->end = session->first + items < session->first ? UINT64_MAX : session->first + items;
  if (session->end > work->files) session->end = work->files;
  char *tree = mdtest_tree_path(work, directory_of(work, session->owner), which,
                                all - mdtest_item_directories(&work->tree) + place);
  int length = snprintf(session->path, sizeof session->path - 32, "%s/%s%d.", tree,
                        work->directories ? MDTEST_DIRECTORY : MDTEST_FILE, session->owner);
  if (length >= (int)sizeof session->path - 32) fail("%s: the path is too long", tree);
  session->prefix = (size_t)length;
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

static void open_session(struct session *session, const struct mdtest_work *work) {
  static const int hops[] = {0, 1, 2, 3, 2}; /* create, stat, read, remove, rename */
  *session = (struct session){.work = work};
  session->owner = (world.rank + hops[work->operation] * stride_of(work)) % world.size;
  enter_directory(session, 0);
  packet_make(&session->packet, work->packet, work->seed, session->owner, work->bytes);
  session->read_buffer = page_memory(work->bytes);
  session->kind = kind_of(work);
  if (session->kind == RECORD_CREATE) session->moved = work->bytes;
  if (session->kind == RECORD_READ) session->moved = work->bytes - work->unread;
  session->flags = O_RDWR;
#ifdef O_DIRECT
  if (work->direct) session->flags |= O_DIRECT;
#endif
}

static void close_session(struct session *session) {
  packet_free(&session->packet);
  free(session->read_buffer);
}

/* Far cheaper than snprintf, which would be a tenth of the time of a create in memory. */
static void name_item(struct session *session, uint64_t number) {
  if (number < session->first || number >= session->end) enter_directory(session, number);
  char digits[24];
  size_t count = 0;
  number -= session->before;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  char *to = session->path + session->prefix;
  while (count) *to++ = digits[--count];
  *to = '\0';
}

static bool count_error(struct session *session, const char *call, int error) {
  return count_failure(&session->errors, call, session->path, error);
}

static bool write_content(struct session *session, int fd) {
  packet_at(&session->packet, 0);
  return small_file_write(fd, session->path, session->packet.data, session->work->bytes,
                          &session->errors);
}

static bool read_content(struct session *session, int fd, size_t size, bool compare) {
  size_t done, where;
  struct packet expected = session->packet;
  expected.size = size;
  if (!small_file_read(fd, session->path, session->read_buffer, size, &done, &session->errors))
    return false;
  if (done == size && (!compare || packet_matches(&expected, session->read_buffer, 0, &where)))
    return true;
  return count_wrong_data(&session->errors, session->path);
}

static bool create_one(struct session *session) {
  bool made = session->work->mknod;
  record_apart(session->last);
  if (made && mknod(session->path, S_IFREG | 0664, 0)) return count_error(session, "mknod", errno);
  if (made && !session->work->bytes) return true;
  int fd = open(session->path, session->flags | (made ? 0 : O_CREAT), 0664);
  if (fd < 0) return count_error(session, "open", errno);
  record_part(RECORD_OPEN);
  bool good = true;
  if (session->work->bytes) {
    good = write_content(session, fd);
    record_part(RECORD_TRANSFER);
  }
  if (good && session->work->sync_file) {
    if (fsync(fd)) good = count_error(session, "fsync", errno);
    record_part(RECORD_SYNC);
  }
  if (good && session->work->verify_write)
    good = read_content(session, fd, session->work->bytes, true);
  if (close(fd)) return count_error(session, "close", errno);
  record_part(RECORD_CLOSE);
  return good;
}

static bool stat_one(struct session *session) {
  struct stat status;
  return !stat(session->path, &status) || count_error(session, "stat", errno);
}

static bool read_one(struct session *session) {
  record_apart(session->last);
  int fd = open(session->path, session->flags);
  if (fd < 0) return count_error(session, "open", errno);
  record_part(RECORD_OPEN);
  bool good = true;
  if (session->work->bytes != session->work->unread) {
    size_t size = session->work->bytes - session->work->unread;
    good = read_content(session, fd, size, !session->work->unverified);
    record_part(RECORD_TRANSFER);
  }
  if (close(fd)) return count_error(session, "close", errno);
  record_part(RECORD_CLOSE);
  return good;
}

static bool remove_one(struct session *session) {
  return !unlink(session->path) || count_error(session, "unlink", errno);
}

static bool create_directory(struct session *session) {
  return !mkdir(session->path, 0775) || count_error(session, "mkdir", errno);
}

static bool remove_directory(struct session *session) {
  return !rmdir(session->path) || count_error(session, "rmdir", errno);
}

static bool rename_to_other(struct session *session) {
  return !rename(session->path, session->other) || count_error(session, "rename", errno);
}

/* Every item of a directory takes the name of the one before; the first steps aside and gets the
 * last name that is free. */
static bool rename_one(struct session *session, uint64_t number) {
  uint64_t first = session->first, last = session->end - 1;
  if (number > first && number == last) {
    name_item(session, first); /* the one that stepped aside */
    strcat(session->path, ASIDE);
  }
  char from[HDB_PATH];
  strcpy(from, session->path);
  name_item(session, number == first ? number : number - 1);
  strcpy(session->other, session->path);
  if (number == first) strcat(session->other, ASIDE);
  strcpy(session->path, from);
  bool good = rename_to_other(session);
  if (first == last) rename(session->other, session->path); /* a single one goes back */
  return good;
}

/* True where the operation succeeded. */
static bool do_one(struct session *session, uint64_t number) {
  bool directories = session->work->directories;
  if (session->work->random_stat && session->work->operation == MDTEST_STAT)
    number = shuffled(number, session->planned, (uint64_t)session->work->random_seed);
  name_item(session, number);
  switch (session->work->operation) {
    case MDTEST_CREATE: return directories ? create_directory(session) : create_one(session);
    case MDTEST_STAT: return stat_one(session);
    case MDTEST_READ: return read_one(session);
    case MDTEST_RENAME: return rename_one(session, number);
    default: return directories ? remove_directory(session) : remove_one(session);
  }
}

/* An operation's time is from the end of the one before: one look at the clock for each. */
static inline bool timed_one(struct session *session, uint64_t number) {
  bool good = do_one(session, number);
  if (!session->timed) return good;
  uint64_t end = ticks_now();
  record_done(session->kind, session->moved, session->last, end);
  session->last = end;
  return good;
}

static uint64_t planned_files(const struct mdtest_work *work) {
  if (work->operation == MDTEST_CREATE || !work->count_file) return work->files;
  int64_t count = -1;
  if (world.rank == 0) count = read_count(work->count_file);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, world.comm);
  if (count < 0)
    refuse("%s holds no count of files: the write phase must run first", work->count_file);
  return (uint64_t)count < work->files ? (uint64_t)count : work->files;
}

/* Creates until the stonewall, agrees on the largest count of a rank, and wears out up to it. */
static uint64_t run_operations(struct session *session, uint64_t planned, double start,
                               uint64_t *tried, struct mdtest_counts *counts,
                               struct mdtest_result *result) {
  uint64_t done = 0, good = 0;
  struct stonewall wall = stonewall_from(start, session->work->stonewall);
  session->planned = planned;
  session->timed = record.on || wall.seconds > 0;
  session->last = ticks_now();
  while (done < planned) {
    good += timed_one(session, done++);
    if (stonewall_is_near(&wall, session->last) && stonewall_is_over(&wall)) break;
  }
  if (wall.seconds > 0) {
    record_stonewall();
    counts->stonewall_max = reduce_count(done, MPI_MAX);
    result->stonewall_time = now() - start;
    counts->stonewall_min = reduce_count(done, MPI_MIN);
    counts->stonewall_total = reduce_count(done, MPI_SUM);
    result->stonewall_items = reduce_count(good, MPI_SUM);
    session->last = ticks_now();
    while (done < counts->stonewall_max) good += timed_one(session, done++);
  }
  *tried = done;
  return good;
}

/* Rank 0 creates the items of all ranks, one rank after the other. Returns how many succeeded. */
static uint64_t create_for_all(struct session *session, uint64_t planned, uint64_t *tried) {
  uint64_t good = 0;
  *tried = planned;
  session->timed = true;
  session->last = ticks_now();
  for (int owner = 0; world.rank == 0 && owner < world.size; owner++) {
    session->owner = owner;
    packet_free(&session->packet);
    packet_make(&session->packet, session->work->packet, session->work->seed, owner,
                session->work->bytes);
    enter_directory(session, 0);
    for (uint64_t number = 0; number < planned; number++) good += timed_one(session, number);
  }
  return good;
}

static uint64_t run_all(struct session *session, uint64_t planned, double start,
                        struct mdtest_counts *counts, struct mdtest_result *result) {
  const struct mdtest_work *work = session->work;
  if (work->remove_whatever) return counts->items = mdtest_remove_files(work, &session->errors);
  if (work->collective && work->operation == MDTEST_CREATE)
    return create_for_all(session, planned, &counts->items);
  return run_operations(session, planned, start, &counts->items, counts, result);
}

static bool is_synced(const struct mdtest_work *work) {
  return work->sync_always || (work->operation == MDTEST_CREATE && !work->sync_never);
}

static void sync_all(void) {
  double start = now();
  sync();
  record.part[RECORD_SYNC] += now() - start;
}

struct mdtest_result mdtest_run(const struct mdtest_work *work) {
  struct mdtest_result result = {0};
  struct mdtest_counts counts = {0};
  struct mdtest_times times = {0};
  struct session session;
  uint64_t planned = work->remove_whatever ? 0 : planned_files(work);
  open_session(&session, work);
  FILE *report = mdtest_report_start(work);
  bool trees = !work->trees_stay;
  if (trees && work->operation == MDTEST_CREATE) times.tree_create = mdtest_make_trees(work);

  MPI_Barrier(world.comm);
  double start = now();
  record_begin();
  uint64_t good = run_all(&session, planned, start, &counts, &result);
  times.own = now() - start;
  if (is_synced(work)) sync_all();
  record_over();
  MPI_Barrier(world.comm);
  times.whole = now() - start;

  if (trees && work->operation == MDTEST_REMOVE) times.tree_remove = mdtest_remove_trees(work);
  result.time = reduce_double(times.whole, MPI_MAX);
  result.errors = reduce_count(session.errors, MPI_SUM);
  result.rate = result.time > 0 ? (double)reduce_count(good, MPI_SUM) / result.time : 0;
  result.items = counts.items;
  result.own = times.own;
  if (work->operation == MDTEST_CREATE && work->count_file && world.rank == 0)
    write_count(work->count_file, counts.items);
  mdtest_report_end(report, work, &result, &times, &counts);
  close_session(&session);
  return result;
}
