#include "mdtest.h"

#include <ctype.h>
#include <dirent.h>
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

#define TOP "test-dir.0-0"
#define TREE "mdtest_tree."
#define FILE_PREFIX "file.mdtest."

/* The files of one rank, and where this rank stands in them. */
struct session {
  const struct mdtest_work *work;
  int owner; /* whose files these are */
  char path[HDB_PATH];
  size_t prefix; /* bytes of path before the number of the file */
  struct packet packet;
  unsigned char *read_buffer;
  int flags; /* of open */
  struct histogram *latency;
  double last; /* when the latest operation ended, on the clock of now() */
  uint64_t errors;
};

static char *tree_of(const char *directory, bool own_directories, int index) {
  if (own_directories) return format_text("%s/" TOP "/" TREE "%d.0", directory, index);
  return format_text("%s/" TOP "/" TREE "0", directory);
}

/* Files lie in the directory of the next rank, so that nobody works in a directory it has made
 * itself. */
static int directory_of(int owner) { return (owner + world_node_stride()) % world.size; }

static void open_session(struct session *session, const struct mdtest_work *work) {
  int hops = (int)work->operation; /* create 0, stat 1, read 2, remove 3 */
  *session = (struct session){.work = work};
  session->owner = (int)(((int64_t)world.rank + (int64_t)hops * world_node_stride()) % world.size);
  char *tree = tree_of(work->directory, work->own_directories, directory_of(session->owner));
  int length = snprintf(session->path, sizeof session->path - 24, "%s/" FILE_PREFIX "%d.", tree,
                        session->owner);
  if (length >= (int)sizeof session->path - 24) fail("%s: the path is too long", tree);
  session->prefix = (size_t)length;
  free(tree);
  packet_make(&session->packet, work->packet, work->seed, session->owner, work->bytes);
  session->read_buffer = page_memory(work->bytes);
  session->latency = need_memory(malloc(sizeof *session->latency));
  histogram_reset(session->latency);
  session->flags = O_RDWR;
#ifdef O_DIRECT
  if (work->direct) session->flags |= O_DIRECT;
#endif
}

static void close_session(struct session *session) {
  packet_free(&session->packet);
  free(session->read_buffer);
  free(session->latency);
}

/* Far cheaper than snprintf, which would be a tenth of the time of a create in memory. */
static void name_file(struct session *session, uint64_t number) {
  char digits[24];
  size_t count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  char *to = session->path + session->prefix;
  while (count) *to++ = digits[--count];
  *to = '\0';
}

/* An operation failed: the run ends where nothing after it can be right, else the failure is
 * counted. */
static bool count_error(struct session *session, const char *call, int error) {
  if (error_is_fatal(error)) fail_call(call, session->path, -1, error);
  if (session->errors++ == 0)
    printf("WARNING: rank %d on %s: %s \"%s\": %s (%s)\n", world.rank, world.host, call,
           session->path, strerror(error), error_name(error));
  return false;
}

static bool write_content(struct session *session, int fd) {
  size_t done = 0, size = session->work->bytes;
  if (lseek(fd, 0, SEEK_SET) < 0) return count_error(session, "lseek", errno);
  packet_at(&session->packet, 0);
  while (done < size) {
    ssize_t moved = write(fd, session->packet.data + done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return count_error(session, "write", errno);
    if (moved == 0) return count_error(session, "write", ENOSPC);
    done += (size_t)moved;
  }
  return true;
}

static bool read_content(struct session *session, int fd) {
  size_t done = 0, size = session->work->bytes, where;
  if (lseek(fd, 0, SEEK_SET) < 0) return count_error(session, "lseek", errno);
  while (done < size) {
    ssize_t moved = read(fd, session->read_buffer + done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return count_error(session, "read", errno);
    if (moved == 0) break;
    done += (size_t)moved;
  }
  if (done == size && packet_matches(&session->packet, session->read_buffer, 0, &where))
    return true;
  if (session->errors++ == 0)
    printf("WARNING: rank %d on %s: wrong data in \"%s\"\n", world.rank, world.host, session->path);
  return false;
}

static bool create_one(struct session *session) {
  int fd = open(session->path, session->flags | O_CREAT, 0664);
  if (fd < 0) return count_error(session, "open", errno);
  bool good = !session->work->bytes || write_content(session, fd);
  if (close(fd)) return count_error(session, "close", errno);
  return good;
}

static bool stat_one(struct session *session) {
  struct stat status;
  return !stat(session->path, &status) || count_error(session, "stat", errno);
}

static bool read_one(struct session *session) {
  int fd = open(session->path, session->flags);
  if (fd < 0) return count_error(session, "open", errno);
  bool good = read_content(session, fd);
  if (close(fd)) return count_error(session, "close", errno);
  return good;
}

static bool remove_one(struct session *session) {
  return !unlink(session->path) || count_error(session, "unlink", errno);
}

/* True where the operation succeeded. */
static bool do_one(struct session *session, uint64_t number) {
  name_file(session, number);
  switch (session->work->operation) {
    case MDTEST_CREATE: return create_one(session);
    case MDTEST_STAT: return stat_one(session);
    case MDTEST_READ: return read_one(session);
    default: return remove_one(session);
  }
}

/* An operation's time is from the end of the one before: one look at the clock for each. */
static inline bool timed_one(struct session *session, uint64_t number) {
  bool good = do_one(session, number);
  double end = now();
  histogram_add(session->latency, end - session->last);
  session->last = end;
  return good;
}

static uint64_t planned_files(const struct mdtest_work *work) {
  if (work->operation == MDTEST_CREATE) return work->files;
  int64_t count = -1;
  if (world.rank == 0) count = read_count(work->count_file);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (count < 0)
    refuse("%s holds no count of files: the write phase must run first", work->count_file);
  return (uint64_t)count < work->files ? (uint64_t)count : work->files;
}

/* Creates until the stonewall, agrees on the largest count of a rank, and wears out up to it. */
static uint64_t run_operations(struct session *session, uint64_t planned, double start,
                               uint64_t *tried, struct mdtest_counts *counts,
                               struct mdtest_result *result) {
  uint64_t done = 0, good = 0;
  int stonewall = session->work->stonewall;
  session->last = start;
  while (done < planned) {
    good += timed_one(session, done++);
    if (stonewall && session->last - start > stonewall) break;
  }
  if (stonewall) {
    counts->stonewall_max = reduce_count(done, MPI_MAX);
    result->stonewall_time = now() - start;
    counts->stonewall_min = reduce_count(done, MPI_MIN);
    counts->stonewall_total = reduce_count(done, MPI_SUM);
    result->stonewall_items = reduce_count(good, MPI_SUM);
    session->last = now();
    while (done < counts->stonewall_max) good += timed_one(session, done++);
  }
  *tried = done;
  return good;
}

static void make_directory(const char *path) {
  if (mkdir(path, 0775) && errno != EEXIST) fail_call("mkdir", path, -1, errno);
}

static double create_trees(const struct mdtest_work *work) {
  if (world.rank == 0) {
    make_directory(work->directory);
    char *top = format_text("%s/" TOP, work->directory);
    make_directory(top);
    free(top);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now();
  if (work->own_directories || world.rank == 0) {
    char *tree = tree_of(work->directory, work->own_directories, world.rank);
    make_directory(tree);
    free(tree);
  }
  return now() - start;
}

static bool is_number(const char *text, const char *end) {
  if (text == end) return false;
  while (text < end && isdigit((unsigned char)*text)) text++;
  return text == end;
}

/* file.mdtest.<rank>.<number>, and nothing else. */
static bool is_our_file(const char *name) {
  if (strncmp(name, FILE_PREFIX, strlen(FILE_PREFIX))) return false;
  const char *rank = name + strlen(FILE_PREFIX);
  const char *dot = strchr(rank, '.');
  return dot && is_number(rank, dot) && is_number(dot + 1, dot + strlen(dot));
}

/* Removes the files of this workload in one directory. Returns how many. */
static uint64_t empty_tree(struct session *session, const char *tree) {
  uint64_t removed = 0;
  DIR *directory = opendir(tree);
  if (!directory) return 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (!is_our_file(entry->d_name)) continue;
    snprintf(session->path, sizeof session->path, "%s/%s", tree, entry->d_name);
    removed += remove_one(session);
  }
  closedir(directory);
  return removed;
}

/* After an aborted run: what is there counts, not what was planned. */
static uint64_t remove_leftovers(struct session *session) {
  const struct mdtest_work *work = session->work;
  uint64_t removed = 0;
  if (!work->own_directories && world.rank != 0) return 0;
  char *tree = tree_of(work->directory, work->own_directories, world.rank);
  removed = empty_tree(session, tree);
  free(tree);
  return removed;
}

static double remove_trees(const struct mdtest_work *work) {
  double start = now();
  if (work->own_directories || world.rank == 0) {
    char *tree = tree_of(work->directory, work->own_directories, world.rank);
    if (rmdir(tree) && errno != ENOENT)
      printf("WARNING: rank %d on %s: \"%s\" stays: %s\n", world.rank, world.host, tree,
             strerror(errno));
    free(tree);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (world.rank == 0) {
    char *top = format_text("%s/" TOP, work->directory);
    rmdir(top);
    rmdir(work->directory);
    free(top);
  }
  return now() - start;
}

struct mdtest_result mdtest_run(const struct mdtest_work *work, struct histogram *latency) {
  struct mdtest_result result = {0};
  struct mdtest_counts counts = {0};
  struct mdtest_times times = {0};
  struct session session;
  uint64_t planned = work->remove_whatever ? 0 : planned_files(work);
  open_session(&session, work);
  FILE *report = mdtest_report_start(work);
  if (work->operation == MDTEST_CREATE) times.tree_create = create_trees(work);

  MPI_Barrier(MPI_COMM_WORLD);
  double start = now();
  uint64_t good = work->remove_whatever
                      ? counts.items = remove_leftovers(&session)
                      : run_operations(&session, planned, start, &counts.items, &counts, &result);
  times.own = now() - start;
  if (work->operation == MDTEST_CREATE) sync();
  MPI_Barrier(MPI_COMM_WORLD);
  times.whole = now() - start;

  if (work->operation == MDTEST_REMOVE) times.tree_remove = remove_trees(work);
  result.time = reduce_double(times.whole, MPI_MAX);
  result.errors = reduce_count(session.errors, MPI_SUM);
  histogram_merge(session.latency, latency);
  result.rate = result.time > 0 ? (double)reduce_count(good, MPI_SUM) / result.time : 0;
  if (work->operation == MDTEST_CREATE && world.rank == 0)
    write_count(work->count_file, counts.items);
  mdtest_report_end(report, work, &result, &times, &counts);
  close_session(&session);
  return result;
}

void mdtest_remove_leftovers(const char *directory, bool own_directories) {
  struct mdtest_work work = {
      .directory = directory, .operation = MDTEST_REMOVE, .own_directories = own_directories};
  struct session session;
  open_session(&session, &work);
  remove_leftovers(&session);
  MPI_Barrier(MPI_COMM_WORLD);
  remove_trees(&work);
  close_session(&session);
}
