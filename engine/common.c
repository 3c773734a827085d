#include "common.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ticks.h"

struct world world;
static const char *current_phase = "set-up";

/* Started without a launcher, Open MPI looks for a network to talk to itself and leaves a segment
   behind in /dev/shm. */
static void stay_alone(void) {
  static const char *const launched[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK"};
  for (int i = 0; i < 3; i++)
    if (getenv(launched[i])) return;
  setenv("OMPI_MCA_btl", "self", 0);
}

/* Who the ranks of world.comm are and which of them share a node. */
static void look_around(void) {
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.size);
  MPI_Comm node;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &node);
  int leader = world.rank; /* the lowest rank of each node stands for it */
  MPI_Bcast(&leader, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);

  int *leaders = need_memory(malloc(sizeof(int) * (size_t)world.size));
  MPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT, world.comm);
  world.nodemap = need_memory(calloc((size_t)world.size + 1, 1));
  world.nodes = world.node0_ranks = 0;
  for (int i = 0; i < world.size; i++) {
    world.nodes += leaders[i] == i;
    world.node0_ranks += leaders[i] == leaders[0];
    world.nodemap[i] = leaders[i] == leaders[0] ? '1' : '0';
  }
  world.block_mapping = world.size < 2 || leaders[1] == leaders[0];
  free(leaders);
}

/* MPI libraries keep a thread of their own. With a second thread on the same table of descriptors
   the kernel counts references to the file in every call, some 5 % of a small read from memory;
   with a table of our own it need not. What MPI opened stays open in both. Over several nodes MPI
   may still connect on one thread and listen on the other, so there it stays as it is. */
static void own_descriptors(void) {
  if (world.nodes == 1) unshare(CLONE_FILES);
}

void world_start(int *argc, char ***argv) {
  stay_alone();
  MPI_Init(argc, argv);
  world.comm = MPI_COMM_WORLD;
  if (gethostname(world.host, sizeof world.host - 1)) strcpy(world.host, "?");
  look_around();
  world.launched = world.rank;
  own_descriptors();
  ticks_start();
}

struct world world_split(int colour) {
  struct world before = world;
  MPI_Comm_split(before.comm, colour, before.rank, &world.comm);
  look_around();
  return before;
}

void world_join(const struct world *before) {
  free(world.nodemap);
  MPI_Comm_free(&world.comm);
  world = *before;
  MPI_Barrier(world.comm);
}

void world_end(void) {
  free(world.nodemap);
  MPI_Finalize();
}

int world_node_stride(void) {
  return world.nodes > 1 && world.block_mapping ? world.node0_ranks : 1;
}

double now(void) { return 1e-9 * (double)now_ns(); }

void fail_phase_is(const char *phase) { current_phase = phase; }

static _Noreturn void end_run(const char *message) {
  fprintf(stderr, "ERROR rank %d on %s: phase %s: %s\n", world.launched, world.host, current_phase,
          message);
  fflush(NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

void fail_call(const char *call, const char *path, int64_t offset, int error) {
  char where[48] = "";
  if (offset >= 0) snprintf(where, sizeof where, " at offset %lld", (long long)offset);
  end_run(
      format_text("%s \"%s\"%s: %s (%s)", call, path, where, strerror(error), error_name(error)));
}

void fail(const char *format, ...) {
  char message[2 * HDB_PATH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  end_run(message);
}

void refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (world.rank == 0) {
    fputs("FATAL ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
  }
  va_end(arguments);
  fflush(NULL);
  int running = 0;
  MPI_Initialized(&running);
  if (running && world.comm != MPI_COMM_WORLD) { /* the other parts know nothing of it */
    MPI_Barrier(world.comm);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (running) MPI_Finalize();
  exit(1);
}

bool error_is_fatal(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EROFS:
    case ESTALE:
    case ENODEV:
    case ENXIO:
    case ENOTCONN:
    case ESHUTDOWN:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ECONNREFUSED:
    case ETIMEDOUT:
    case ENOMEM:
    case ENFILE:
    case EMFILE:
    case EMLINK: return true;
    default: return false;
  }
}

const char *error_name(int error) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
  const char *name = strerrorname_np(error);
  if (name) return name;
#endif
  static char number[24];
  snprintf(number, sizeof number, "errno %d", error);
  return number;
}

void *need_memory(void *pointer) {
  if (!pointer) fail("out of memory");
  return pointer;
}

void *page_memory(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes ? bytes : 1)) fail("out of memory");
  memset(memory, 0, bytes ? bytes : 1); /* the kernel's pages now, not inside a timed region */
  return memory;
}

char *format_text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *result = need_memory(malloc((size_t)length + 1));
  va_start(arguments, format);
  vsnprintf(result, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return result;
}

void text_add(struct text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t more = (size_t)vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (text->length + more + 1 > text->room) {
    text->room = 2 * (text->length + more + 1);
    text->data = need_memory(realloc(text->data, text->room));
  }
  va_start(arguments, format);
  vsnprintf(text->data + text->length, more + 1, format, arguments);
  va_end(arguments);
  text->length += more;
}

bool parse_size(const char *text, uint64_t *bytes) {
  if (!isdigit((unsigned char)*text)) return false;
  char *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, 10);
  if (errno) return false;
  static const char units[] = "kmgtp";
  int shift = 0;
  if (*end) {
    const char *unit = strchr(units, tolower((unsigned char)*end));
    if (!unit || end[1]) return false;
    shift = 10 * (int)(unit - units + 1);
  }
  if (value > (UINT64_MAX >> 1) >> shift) return false;
  *bytes = value << shift;
  return true;
}

const char *human_size(double bytes) {
  static char slots[4][32];
  static int next;
  char *slot = slots[next++ % 4];
  static const char *const names[] = {"PiB", "TiB", "GiB", "MiB"};
  double unit = (double)(1ULL << 50);
  for (int i = 0; i < 4; i++, unit /= 1024) {
    if (bytes < unit) continue;
    double value = bytes / unit;
    bool whole = value == (double)(uint64_t)value;
    snprintf(slot, sizeof slots[0], whole ? "%.0f %s" : "%.2f %s", value, names[i]);
    return slot;
  }
  snprintf(slot, sizeof slots[0], "%.0f bytes", bytes);
  return slot;
}

double reduce_double(double value, MPI_Op operation) {
  double result;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, operation, world.comm);
  return result;
}

uint64_t reduce_count(uint64_t value, MPI_Op operation) {
  uint64_t result;
  MPI_Allreduce(&value, &result, 1, MPI_UINT64_T, operation, world.comm);
  return result;
}
