/* What the phases of IO500 cost without a benchmark around them: bare loops of the same system
   calls on the same files, no MPI, no latencies, no record. engine.py starts one process a rank.

     bare <directory> <rank> <ranks> <small files> <transfers of 2 MiB> <transfers of 47008 bytes>

   For every phase it says "ready <phase>", waits for a line, and says "<phase> <start> <end> <cpu>
   <operations>": ns on CLOCK_MONOTONIC, ns of user and system time.

   With HDB_THREAD in the environment a second thread sleeps beside it, as the MPI library's does in
   every rank: the kernel then counts references to every file descriptor that a call uses.
   With HDB_NO_COMPARE the bulk reads compare nothing: the most that any verified read can reach.

     bare usage <program> [arguments]   runs it and says "usage <KiB> <ns>" on stderr: its largest
                                        resident set, and its user and system time */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SMALL 3901
#define EASY (2 << 20)
#define HARD 47008

static char base[4000], path[4200];
static long rank, ranks, files, easy_transfers, hard_transfers, operations;
static unsigned char *data, *expected;
static int compares;

static void must(int good, const char *call) {
  if (!good) err(1, "%s %s", call, path);
}

/* The same kind of content, made once, outside of what is timed, as the engine's is. */
static void fill(unsigned char *buffer, size_t size, long owner) {
  uint64_t word = (uint64_t)owner << 32;
  for (size_t i = 0; i + 8 <= size; i += 8, word++) memcpy(buffer + i, &word, 8);
}

static size_t prefix(const char *format, long directory, long owner) {
  int length = snprintf(path, sizeof path, "%s", base);
  length += snprintf(path + length, sizeof path - (size_t)length, format, directory, owner);
  return (size_t)length;
}
static size_t easy_prefix(long owner) {
  return prefix("/mdtest-easy/test-dir.0-0/mdtest_tree.%ld.0/file.mdtest.%ld.", (owner + 1) % ranks,
                owner);
}
static size_t hard_prefix(long owner) {
  int length = snprintf(path, sizeof path,
                        "%s/mdtest-hard/test-dir.0-0/mdtest_tree.0/file.mdtest.%ld.", base, owner);
  return (size_t)length;
}

static void name(size_t at, long number) {
  char digits[24];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while (number /= 10);
  char *to = path + at;
  while (count) *to++ = digits[--count];
  *to = '\0';
}

static void easy_create(void) {
  size_t at = easy_prefix(rank);
  for (long i = 0; i < files; i++) {
    name(at, i);
    int fd = open(path, O_RDWR | O_CREAT, 0664);
    must(fd >= 0, "open");
    close(fd);
  }
  operations = files;
  sync();
}

static void stat_files(size_t at) {
  struct stat status;
  for (long i = 0; i < files; i++) {
    name(at, i);
    must(!stat(path, &status), "stat");
  }
  operations = files;
}
static void easy_stat(void) { stat_files(easy_prefix((rank + 1) % ranks)); }
static void hard_stat(void) { stat_files(hard_prefix((rank + 1) % ranks)); }

static void remove_files(size_t at) {
  for (long i = 0; i < files; i++) {
    name(at, i);
    must(!unlink(path), "unlink");
  }
  operations = files;
}
static void easy_delete(void) { remove_files(easy_prefix((rank + 3) % ranks)); }
static void hard_delete(void) { remove_files(hard_prefix((rank + 3) % ranks)); }

static void hard_create(void) {
  size_t at = hard_prefix(rank);
  for (long i = 0; i < files; i++) {
    name(at, i);
    int fd = open(path, O_RDWR | O_CREAT, 0664);
    must(fd >= 0 && !lseek(fd, 0, SEEK_SET) && write(fd, expected, SMALL) == SMALL, "write");
    close(fd);
  }
  operations = files;
  sync();
}

static void hard_read(void) {
  size_t at = hard_prefix((rank + 2) % ranks);
  for (long i = 0; i < files; i++) {
    name(at, i);
    int fd = open(path, O_RDWR);
    must(fd >= 0 && !lseek(fd, 0, SEEK_SET) && read(fd, data, SMALL) == SMALL, "read");
    must(!memcmp(data, expected, SMALL), "compare");
    close(fd);
  }
  operations = files;
}

static void bulk(int write_it, size_t size, long count, long stride, long first) {
  int fd = open(path, write_it ? O_RDWR | O_CREAT : O_RDONLY, 0664);
  must(fd >= 0, "open");
  for (long i = 0; i < count; i++) {
    must(lseek(fd, (off_t)((i * stride + first) * (long)size), SEEK_SET) >= 0, "lseek");
    if (write_it) {
      must(write(fd, expected, size) == (ssize_t)size, "write");
      continue;
    }
    must(read(fd, data, size) == (ssize_t)size, "read");
    must(!compares || !memcmp(data, expected, size), "compare");
  }
  if (write_it) must(!fsync(fd), "fsync");
  close(fd);
  operations = count;
}
static void easy_bulk(int write_it, long owner) {
  snprintf(path, sizeof path, "%s/ior-easy/ior_file_easy.%08ld", base, owner);
  bulk(write_it, EASY, easy_transfers, 1, 0);
}
static void hard_bulk(int write_it, long owner) {
  snprintf(path, sizeof path, "%s/ior-hard/file", base);
  bulk(write_it, HARD, hard_transfers, ranks, owner);
}
static void ior_easy_write(void) { easy_bulk(1, rank); }
static void ior_hard_write(void) { hard_bulk(1, rank); }
static void ior_easy_read(void) { easy_bulk(0, (rank + 1) % ranks); }
static void ior_hard_read(void) { hard_bulk(0, (rank + 1) % ranks); }

/* getdents64 through the tree, and a look at every file whose name matches. */
static void walk(char *directory) {
  _Alignas(struct dirent64) char buffer[32768];
  size_t length = strlen(directory);
  int fd = open(directory, O_RDONLY | O_DIRECTORY);
  must(fd >= 0, "open");
  for (ssize_t bytes; (bytes = getdents64(fd, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < bytes;) {
      struct dirent64 *entry = (struct dirent64 *)(buffer + i);
      i += entry->d_reclen;
      if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
      int down = entry->d_type == DT_DIR;
      operations += !down;
      if (!down && !strstr(entry->d_name, "01")) continue;
      sprintf(directory + length, "/%s", entry->d_name);
      struct stat status;
      if (down)
        walk(directory);
      else
        must(!lstat(directory, &status), "lstat");
    }
  close(fd);
}
static void find(void) {
  strcpy(path, base);
  operations = 0;
  if (rank == 0) walk(path);
}

static const struct {
  const char *name;
  void (*run)(void);
} phases[] = {{"ior-easy-write", ior_easy_write},
              {"mdtest-easy-write", easy_create},
              {"ior-hard-write", ior_hard_write},
              {"mdtest-hard-write", hard_create},
              {"find", find},
              {"ior-easy-read", ior_easy_read},
              {"mdtest-easy-stat", easy_stat},
              {"ior-hard-read", ior_hard_read},
              {"mdtest-hard-stat", hard_stat},
              {"mdtest-easy-delete", easy_delete},
              {"mdtest-hard-read", hard_read},
              {"mdtest-hard-delete", hard_delete}};

static long long ns(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int say_usage(char **command) {
  pid_t child = fork();
  if (child < 0) err(1, "fork");
  if (child == 0) {
    execvp(command[0], command);
    err(127, "%s", command[0]);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) err(1, "wait4");
  long long cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
                  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
  fprintf(stderr, "usage %ld %lld\n", usage.ru_maxrss, cpu);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void *sleep_beside(void *nothing) {
  pause();
  return nothing;
}

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "usage")) return say_usage(argv + 2);
  if (argc != 7) errx(2, "usage: bare directory rank ranks files easy-transfers hard-transfers");
  snprintf(base, sizeof base, "%s", argv[1]);
  rank = atol(argv[2]), ranks = atol(argv[3]), files = atol(argv[4]);
  easy_transfers = atol(argv[5]), hard_transfers = atol(argv[6]);
  if (posix_memalign((void **)&data, 4096, EASY) || posix_memalign((void **)&expected, 4096, EASY))
    errx(1, "out of memory");
  compares = !getenv("HDB_NO_COMPARE");
  pthread_t thread;
  if (getenv("HDB_THREAD") && pthread_create(&thread, NULL, sleep_beside, NULL))
    errx(1, "no thread");
  memset(data, 0, EASY);
  for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
    fill(expected, EASY, 0);
    printf("ready %s\n", phases[i].name);
    fflush(stdout);
    if (getchar() == EOF) return 1;
    long long cpu = ns(CLOCK_PROCESS_CPUTIME_ID), start = ns(CLOCK_MONOTONIC);
    phases[i].run();
    long long end = ns(CLOCK_MONOTONIC);
    printf("%s %lld %lld %lld %ld\n", phases[i].name, start, end,
           ns(CLOCK_PROCESS_CPUTIME_ID) - cpu, operations);
    fflush(stdout);
  }
  return 0;
}
