#include "options.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "hash.h"

#define API {"API", "The API to be used", OPTION_TEXT, NULL, NULL}
#define RUN {"run", "Run this phase", OPTION_BOOL, "TRUE", NULL}
#define RUN_2021 {"run", "Run this phase of the extended mode of 2021", OPTION_BOOL, "FALSE", NULL}
#define VERBOSITY {"verbosity", "The verbosity level", OPTION_INT, NULL, NULL}
#define COLLECTIVE \
  {"collective", "Collective operation (for supported backends)", OPTION_BOOL, NULL, NULL}
#define END {NULL, NULL, OPTION_TEXT, NULL, NULL}
/* A list of its own each, because each holds the values of one section. */
#define RUN_ONLY ((struct option[]){RUN, END})
#define API_RUN ((struct option[]){API, RUN, END})
#define API_COLLECTIVE_RUN ((struct option[]){API, COLLECTIVE, RUN, END})
#define DEALT_OPTIONS \
  ((struct option[]){ \
      API, \
      {"blockSize", "Bytes of a rank that are dealt out at once; a multiple of the transfer size", \
       OPTION_SIZE, "1073741824", NULL}, \
      RUN_2021, \
      VERBOSITY, \
      {"randomPrefill", "Fill each block first with transfers of this size; 0: do not", \
       OPTION_SIZE, "0", NULL}, \
      END})
#define FIND_OPTIONS \
  ((struct option[]){ \
      {"external-script", "Set to an external script to perform the find phase", OPTION_TEXT, \
       NULL, NULL}, \
      {"external-mpi-args", \
       "Startup arguments for external scripts, some MPI's may not support this!", OPTION_TEXT, \
       "", NULL}, \
      {"external-extra-args", "Extra arguments for the external scripts", OPTION_TEXT, "", NULL}, \
      {"nproc", "Set the number of processes for pfind/the external script", OPTION_UINT, NULL, \
       NULL}, \
      RUN, \
      {"pfind-queue-length", "Pfind queue length", OPTION_INT, "10000", NULL}, \
      {"pfind-steal-next", "Pfind Steal from next", OPTION_BOOL, "FALSE", NULL}, \
      {"pfind-parallelize-single-dir-access-using-hashing", \
       "Parallelize the readdir by using hashing. Your system must support this!", OPTION_BOOL, \
       "FALSE", NULL}, \
      END})

static struct option global_options[] = {
    {"datadir", "The directory where the IO500 runs", OPTION_TEXT, "./datafiles", NULL},
    {"timestamp-datadir",
     "The data directory is suffixed by a timestamp. Useful for running several IO500 tests "
     "concurrently.",
     OPTION_BOOL, "TRUE", NULL},
    {"resultdir", "The result directory.", OPTION_TEXT, "./results", NULL},
    {"timestamp-resultdir",
     "The result directory is suffixed by a timestamp. Useful for running several IO500 tests "
     "concurrently.",
     OPTION_BOOL, "TRUE", NULL},
    {"api",
     "The general API for the tests (to create/delete the datadir, extra options will be passed to "
     "IOR/mdtest)",
     OPTION_TEXT, "POSIX", NULL},
    {"drop-caches", "Purge the caches, this is useful for testing and needed for single node runs",
     OPTION_BOOL, "FALSE", NULL},
    {"drop-caches-cmd", "Cache purging command, invoked before each I/O phase", OPTION_TEXT,
     "sudo -n bash -c \"echo 3 > /proc/sys/vm/drop_caches\"", NULL},
    {"io-buffers-on-gpu", "Allocate the I/O buffers on the GPU", OPTION_BOOL, "FALSE", NULL},
    {"verbosity", "The verbosity level between 1 and 10", OPTION_INT, "1", NULL},
    {"scc", "Use the rules for the Student Cluster Competition", OPTION_BOOL, "FALSE", NULL},
    {"dataPacketType",
     "Type of packet that will be created [timestamp|offset|incompressible|random]", OPTION_TEXT,
     "timestamp", NULL},
    END};

static struct option debug_options[] = {
    {"stonewall-time",
     "For a valid result, the stonewall timer must be set to the value according to the rules. If "
     "smaller INVALIDATES RUN; FOR DEBUGGING.",
     OPTION_INT, "300", NULL},
    {"pause-dir",
     "Pause between phases while in this directory lies a file with the phase name, e.g., "
     "easy-create. This can be useful for performance testing, e.g., of tiered storage. At the "
     "moment it INVALIDATES RUN; FOR DEBUGGING.",
     OPTION_TEXT, NULL, NULL},
    END};

static struct option ior_easy_options[] = {
    API,
    {"transferSize", "Transfer size", OPTION_SIZE, "2m", NULL},
    {"blockSize", "Block size; must be a multiple of transferSize", OPTION_SIZE, "9920000m", NULL},
    {"filePerProc", "Create one file per process", OPTION_BOOL, "TRUE", NULL},
    {"uniqueDir", "Use unique directory per file per process", OPTION_BOOL, "FALSE", NULL},
    RUN,
    VERBOSITY,
    END};

static struct option mdtest_easy_options[] = {
    API, {"n", "Files per proc", OPTION_UINT, "1000000", NULL}, RUN, END};

static struct option mdworkbench_options[] = {
    API,
    {"waitingTime", "Waiting time of an IO operation relative to runtime (1.0 is 100%%)",
     OPTION_FLOAT, "0.0", NULL},
    {"precreatePerSet",
     "Files to precreate per set (always 10 sets), this is normally dynamically determined",
     OPTION_UINT, NULL, NULL},
    {"filesPerProc",
     "Files to run per iteration and set (always 10 sets), this is normally dynamically determined",
     OPTION_UINT, NULL, NULL},
    RUN,
    VERBOSITY,
    END};

static struct option ior_hard_options[] = {
    API,        {"segmentCount", "Number of segments", OPTION_UINT, "10000000", NULL},
    COLLECTIVE, RUN,
    VERBOSITY,  END};

static struct option mdtest_hard_options[] = {
    API,
    {"n", "Files per proc", OPTION_UINT, "1000000", NULL},
    {"files-per-dir",
     "File limit per directory (MDTest -I flag) to overcome file system limitations INVALIDATES "
     "RUN; FOR DEBUGGING.",
     OPTION_UINT, NULL, NULL},
    RUN,
    END};

struct section sections[] = {{"global", ALWAYS, global_options},
                             {"debug", ALWAYS, debug_options},
                             {"ior-easy", ALWAYS, ior_easy_options},
                             {"ior-easy-write", ALWAYS, API_RUN},
                             {"ior-rnd4K", WITH_RND4K, DEALT_OPTIONS},
                             {"ior-rnd4K-write", WITH_RND4K, API_RUN},
                             {"mdtest-easy", ALWAYS, mdtest_easy_options},
                             {"mdtest-easy-write", ALWAYS, API_RUN},
                             {"ior-rnd1MB", WITH_RND1MB, DEALT_OPTIONS},
                             {"ior-rnd1MB-write", WITH_RND1MB, API_RUN},
                             {"mdworkbench", OPTIONAL, mdworkbench_options},
                             {"mdworkbench-create", OPTIONAL, RUN_ONLY},
                             {"timestamp", ALWAYS, (struct option[]){END}},
                             {"find-easy", OPTIONAL, FIND_OPTIONS},
                             {"ior-hard", ALWAYS, ior_hard_options},
                             {"ior-hard-write", ALWAYS, API_COLLECTIVE_RUN},
                             {"mdtest-hard", ALWAYS, mdtest_hard_options},
                             {"mdtest-hard-write", ALWAYS, API_RUN},
                             {"find", ALWAYS, FIND_OPTIONS},
                             {"ior-rnd4K-read", WITH_RND4K, API_RUN},
                             {"ior-rnd1MB-read", WITH_RND1MB, API_RUN},
                             {"find-hard", OPTIONAL, FIND_OPTIONS},
                             {"mdworkbench-bench", OPTIONAL, RUN_ONLY},
                             {"concurrent", WITH_CONCURRENT, (struct option[]){RUN_2021, END}},
                             {"ior-easy-read", ALWAYS, API_RUN},
                             {"mdtest-easy-stat", ALWAYS, API_RUN},
                             {"ior-hard-read", ALWAYS, API_COLLECTIVE_RUN},
                             {"mdtest-hard-stat", ALWAYS, API_RUN},
                             {"mdworkbench-delete", OPTIONAL, RUN_ONLY},
                             {"mdtest-easy-delete", ALWAYS, API_RUN},
                             {"mdtest-hard-read", ALWAYS, API_RUN},
                             {"mdtest-hard-delete", ALWAYS, API_RUN},
                             {"ior-rnd4K-easy-read", WITHOUT_2021, API_RUN},
                             {NULL, ALWAYS, NULL}};

struct section *options_section(const char *name) {
  for (struct section *section = sections; section->name; section++)
    if (!strcasecmp(section->name, name)) return section;
  return NULL;
}

struct option *options_key(struct section *section, const char *key) {
  for (struct option *option = section->options; option->key; option++)
    if (!strcasecmp(option->key, key)) return option;
  return NULL;
}

static bool is_number(const char *text, bool negative) {
  if (negative && *text == '-') text++;
  return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 19;
}

static bool is_float(const char *text) {
  char *end;
  strtod(text, &end);
  return end != text && !*end;
}

const char *options_set(struct option *option, const char *value) {
  uint64_t bytes;
  if (option->type == OPTION_INT && !is_number(value, true)) return "an integer";
  if (option->type == OPTION_UINT && !is_number(value, false)) return "an integer >= 0";
  if (option->type == OPTION_FLOAT && !is_float(value)) return "a number";
  if (option->type == OPTION_SIZE && !parse_size(value, &bytes))
    return "a size in bytes, or with k, m, g, t or p";
  if (option->type == OPTION_BOOL) {
    if (!strcasecmp(value, "true") || !strcmp(value, "1"))
      value = "TRUE";
    else if (!strcasecmp(value, "false") || !strcmp(value, "0"))
      value = "FALSE";
    else
      return "TRUE or FALSE";
  }
  free(option->value);
  option->value = format_text("%s", value);
  return NULL;
}

static const char *in_force(const struct option *option) {
  return option->value ? option->value : option->standard;
}

const char *option_text(const char *section_name, const char *key) {
  struct section *section = options_section(section_name);
  struct option *option = section ? options_key(section, key) : NULL;
  if (!option) fail("no option [%s] %s", section_name, key);
  return in_force(option);
}

bool option_true(const char *section, const char *key) {
  const char *value = option_text(section, key);
  return value && !strcmp(value, "TRUE");
}

int64_t option_number(const char *section, const char *key, int64_t otherwise) {
  const char *value = option_text(section, key);
  return value ? strtoll(value, NULL, 10) : otherwise;
}

int option_int(const char *section, const char *key, int otherwise) {
  int64_t number = option_number(section, key, otherwise);
  if (number > INT_MAX || number < INT_MIN)
    refuse("[%s] %s = %s: expected at most %d", section, key, option_text(section, key), INT_MAX);
  return (int)number;
}

uint64_t option_size(const char *section, const char *key) {
  uint64_t bytes = 0;
  const char *value = option_text(section, key);
  if (!value || !parse_size(value, &bytes)) fail("no size in [%s] %s", section, key);
  return bytes;
}

bool options_2021(void) {
  return option_true("ior-rnd4K", "run") || option_true("ior-rnd1MB", "run") ||
         option_true("concurrent", "run");
}

static bool in_place(const struct section *section) {
  switch (section->place) {
    case WITH_RND4K: return option_true("ior-rnd4K", "run");
    case WITH_RND1MB: return option_true("ior-rnd1MB", "run");
    case WITH_CONCURRENT: return option_true("concurrent", "run");
    case WITHOUT_2021: return !options_2021();
    default: return true;
  }
}

void options_list(FILE *file, bool mandatory) {
  fprintf(file, "# Supported and current values of the ini file%s:\n",
          mandatory ? " (Mandatory Phases Only)" : "");
  for (struct section *section = sections; section->name; section++) {
    if (!in_place(section) || (mandatory && section->place == OPTIONAL)) continue;
    fprintf(file, "[%s]\n", section->name);
    for (struct option *option = section->options; option->key; option++)
      fprintf(file, "# %s\n%s = %s\n", option->help, option->key,
              option->standard ? option->standard : "");
    fputc('\n', file);
  }
}

void options_dump(FILE *file) {
  for (struct section *section = sections; section->name; section++) {
    if (!in_place(section)) continue;
    fprintf(file, "[%s]\n", section->name);
    for (struct option *option = section->options; option->key; option++)
      fprintf(file, "%s = %s\n", option->key, in_force(option) ? in_force(option) : "");
    fputc('\n', file);
  }
}

uint32_t options_hash(void) {
  uint32_t hash = 0;
  for (struct section *section = sections; section->name; section++)
    for (struct option *option = section->options; in_place(section) && option->key; option++)
      if (in_force(option)) hash ^= hash_pair(option->key, in_force(option));
  return hash;
}
