/* The walk over all ranks. Work starts at rank 0 and is stolen by those that have none; a token
   that goes round while everybody is idle finds out that nothing is left (Dijkstra, Feijen, van
   Gasteren 1983). */
#include "find.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"
#include "files.h"
#include "find_walk.h"
#include "record.h"

enum tag { TAG_REQUEST = 1, TAG_REPLY, TAG_TOKEN, TAG_DONE };
enum colour { WHITE, BLACK };
#define STEPS_BETWEEN_POLLS 32

struct crew {
  MPI_Comm ranks;
  struct find_walk walk;
  bool has_token, asked, done;
  enum colour colour, token;
  uint64_t requests_seen, entries_given, requests_made, entries_taken, tokens_sent;
  double stealing; /* s */
  unsigned int random;
};

/* Gives half of the oldest entries, which are nearest to the root and so the largest pieces of
 * work. */
static void answer_request(struct crew *crew, int thief) {
  struct find_queue *queue = &crew->walk.queue;
  size_t give = crew->done ? 0 : queue->length / 2;
  struct text message = {0};
  size_t bytes = 0;
  for (size_t i = 0; i < give; i++) bytes += strlen(queue->entries[i]) + 1;
  if (bytes > 0x7fffffff / 2) give = 1, bytes = strlen(queue->entries[0]) + 1;
  message.data = need_memory(malloc(bytes + 1));
  for (size_t i = 0; i < give; i++) {
    size_t length = strlen(queue->entries[i]) + 1;
    memcpy(message.data + message.length, queue->entries[i], length);
    message.length += length;
    free(queue->entries[i]);
  }
  if (give) {
    queue->length -= give;
    memmove(queue->entries, queue->entries + give, queue->length * sizeof *queue->entries);
    crew->colour = BLACK;
  }
  crew->entries_given += give;
  crew->requests_seen++;
  MPI_Send(message.data, (int)message.length, MPI_CHAR, thief, TAG_REPLY, crew->ranks);
  free(message.data);
}

static void take_reply(struct crew *crew, int victim, int bytes) {
  char *message = need_memory(malloc((size_t)bytes + 1));
  MPI_Recv(message, bytes, MPI_CHAR, victim, TAG_REPLY, crew->ranks, MPI_STATUS_IGNORE);
  for (char *entry = message; entry < message + bytes; entry += strlen(entry) + 1) {
    queue_push(&crew->walk.queue, entry[0], entry + 1);
    crew->entries_taken++;
  }
  free(message);
  crew->asked = false;
}

/* Handles every message that is there. */
static void poll(void *argument) {
  struct crew *crew = argument;
  for (;;) {
    int there, value = 0, bytes;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, crew->ranks, &there, &status);
    if (!there) return;
    if (status.MPI_TAG == TAG_REPLY) {
      MPI_Get_count(&status, MPI_CHAR, &bytes);
      take_reply(crew, status.MPI_SOURCE, bytes);
      continue;
    }
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, crew->ranks, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == TAG_REQUEST) answer_request(crew, status.MPI_SOURCE);
    if (status.MPI_TAG == TAG_DONE) crew->done = true;
    if (status.MPI_TAG == TAG_TOKEN) {
      crew->has_token = true;
      crew->token = value ? BLACK : WHITE;
    }
  }
}

static void send_value(struct crew *crew, int to, enum tag tag, int value) {
  MPI_Send(&value, 1, MPI_INT, to, tag, crew->ranks);
}

static void announce_end(struct crew *crew) {
  for (int rank = 1; rank < crew->walk.ranks; rank++) send_value(crew, rank, TAG_DONE, 0);
  crew->done = true;
}

/* Only called while this rank has no work and waits for none. */
static void pass_token(struct crew *crew) {
  if (!crew->has_token) return;
  bool first = crew->walk.rank == 0;
  if (first && crew->token == WHITE && crew->colour == WHITE) {
    announce_end(crew);
    return;
  }
  int value = first ? WHITE : crew->token == BLACK || crew->colour == BLACK ? BLACK : WHITE;
  send_value(crew, (crew->walk.rank + 1) % crew->walk.ranks, TAG_TOKEN, value);
  crew->tokens_sent++;
  crew->has_token = false;
  crew->colour = WHITE;
}

static void ask_for_work(struct crew *crew) {
  int others = crew->walk.ranks - 1;
  int step = crew->walk.work->steal_next ? 1 : 1 + rand_r(&crew->random) % others;
  send_value(crew, (crew->walk.rank + step) % crew->walk.ranks, TAG_REQUEST, 0);
  crew->asked = true;
  crew->requests_made++;
}

/* Everybody answers until nobody can be waiting for an answer. */
static void leave_together(struct crew *crew) {
  while (crew->asked) poll(crew);
  MPI_Request barrier;
  int everybody = 0;
  MPI_Ibarrier(crew->ranks, &barrier);
  while (!everybody) {
    MPI_Test(&barrier, &everybody, MPI_STATUS_IGNORE);
    poll(crew);
  }
}

static void walk_with_stealing(struct crew *crew) {
  while (!crew->done) {
    for (int i = 0; i < STEPS_BETWEEN_POLLS && walk_step(&crew->walk); i++) continue;
    poll(crew);
    if (crew->walk.queue.length || crew->done) continue;
    double idle = now();
    if (!crew->asked) pass_token(crew);
    if (!crew->asked && !crew->done) ask_for_work(crew);
    while (crew->asked && !crew->done) poll(crew);
    crew->stealing += now() - idle;
  }
  leave_together(crew);
}

static void walk_alone(struct crew *crew) {
  while (walk_step(&crew->walk)) continue;
}

static void never(void *argument) { (void)argument; }

static void write_csv(const struct find_work *work, const double *rows,
                      const struct find_result *sum, int columns) {
  FILE *file = create_file(work->csv);
  fprintf(file, "runtime: %f rate: %f\n", sum->time,
          sum->time > 0 ? (double)sum->total / sum->time : 0);
  fputs("rank, errors, unknown, found, total, checked, job steal msgs received, work items send, "
        "job steal msgs send, work items stolen, time spend in job stealing in s, number of "
        "completion tokens send\n",
        file);
  for (int rank = 0; rank < work->ranks; rank++) {
    const double *row = rows + rank * columns;
    fprintf(file, "%d, %.0f, 0, %.0f, %.0f, %.0f, %.0f, %.0f, %.0f, %.0f, %.3fs, %.0f\n", rank,
            row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9]);
  }
  close_file(file, work->csv);
}

static void tell_rank(const struct find_work *work, int rank, double time, const double *row) {
  if (work->tell_ranks)
    printf("[%d] rate: %.3f kiops time: %.1fs found: %.0f (scanned %.0f files, scanned dirents: "
           "%.0f, unknown dirents: 0)\n",
           rank, time > 0 ? row[2] / time / 1000 : 0, time, row[1], row[2], row[3]);
}

#define COLUMNS 10
static struct find_result sum_up(struct crew *crew, double time) {
  const struct find_walk *walk = &crew->walk;
  struct find_result sum = {.time = time};
  double row[COLUMNS] = {
      (double)walk->errors,        (double)walk->found,         (double)walk->total,
      (double)walk->checked,       (double)crew->requests_seen, (double)crew->entries_given,
      (double)crew->requests_made, (double)crew->entries_taken, crew->stealing,
      (double)crew->tokens_sent};
  double *rows = NULL;
  if (walk->rank == 0) rows = need_memory(malloc(sizeof row * (size_t)walk->ranks));
  MPI_Gather(row, COLUMNS, MPI_DOUBLE, rows, COLUMNS, MPI_DOUBLE, 0, crew->ranks);
  if (walk->rank != 0) return sum;
  for (int rank = 0; rank < walk->ranks; rank++) {
    sum.errors += (uint64_t)rows[rank * COLUMNS];
    sum.found += (uint64_t)rows[rank * COLUMNS + 1];
    sum.total += (uint64_t)rows[rank * COLUMNS + 2];
    sum.checked += (uint64_t)rows[rank * COLUMNS + 3];
    tell_rank(walk->work, rank, time, rows + rank * COLUMNS);
  }
  write_csv(walk->work, rows, &sum, COLUMNS);
  free(rows);
  return sum;
}

static void start_walk(struct crew *crew, const struct find_work *work) {
  struct find_walk *walk = &crew->walk;
  walk->work = work;
  MPI_Comm_rank(crew->ranks, &walk->rank);
  MPI_Comm_size(crew->ranks, &walk->ranks);
  crew->random = 1 + (unsigned int)walk->rank;
  crew->has_token = walk->rank == 0;
  crew->token = BLACK; /* the first round only starts the counting */
  bool stealing = walk->ranks > 1 && !work->hash_names;
  walk->poll = stealing ? poll : never;
  walk->poll_argument = crew;
  if (work->newer_than) {
    struct stat status;
    if (stat(work->newer_than, &status)) fail_call("stat", work->newer_than, -1, errno);
    walk->newer_than = status.st_ctime;
  }
  if (walk->rank == 0 || work->hash_names) queue_push(&walk->queue, 'd', work->directory);
}

struct find_result find_run(const struct find_work *work) {
  struct crew crew = {0};
  struct find_result sum = {0};
  bool mine = world.rank < work->ranks;
  MPI_Comm_split(world.comm, mine ? 0 : MPI_UNDEFINED, world.rank, &crew.ranks);
  if (mine) {
    start_walk(&crew, work);
    MPI_Barrier(crew.ranks);
    double start = crew.walk.start = record_begin();
    if (crew.walk.poll == never)
      walk_alone(&crew);
    else
      walk_with_stealing(&crew);
    record_over();
    double own = now() - start, slowest;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, crew.ranks);
    sum = sum_up(&crew, slowest);
    free(crew.walk.queue.entries);
    MPI_Comm_free(&crew.ranks);
  }
  uint64_t counts[4] = {sum.found, sum.total, sum.errors, sum.checked};
  MPI_Bcast(counts, 4, MPI_UINT64_T, 0, world.comm);
  MPI_Bcast(&sum.time, 1, MPI_DOUBLE, 0, world.comm);
  sum.found = counts[0], sum.total = counts[1], sum.errors = counts[2];
  sum.checked = counts[3];
  sum.stopped = reduce_count(crew.walk.stopped, MPI_MAX);
  return sum;
}
