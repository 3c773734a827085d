/* mdtest's options, and what they ask for. */
#include "tool_mdtest.h"

#include <inttypes.h>
#include <strings.h>

#include "common.h"
#include "tool_arguments.h"
#include "tool_paths.h"

static struct mdtest_given given = {
    .api = "POSIX", .directory = "./out", .packet = "timestamp", .branch = 1, .iterations = 1};

#define MOST 2000000000
static const struct argument arguments[] = {
    {"-C", NULL, NULL, ARGUMENT_FLAG, &given.create, 0, 0, "only create, and leave what is made"},
    {"-T", NULL, NULL, ARGUMENT_FLAG, &given.stat, 0, 0, "only stat what an earlier call left"},
    {"-E", NULL, NULL, ARGUMENT_FLAG, &given.read, 0, 0, "only read what an earlier call left"},
    {"-r", NULL, NULL, ARGUMENT_FLAG, &given.remove, 0, 0, "only remove what an earlier call left"},
    {"-U", NULL, NULL, ARGUMENT_FLAG, &given.rename, 0, 0,
     "rename directories too, where -C, -T, -E or -r leave that out"},
    {"-D", NULL, NULL, ARGUMENT_FLAG, &given.directories, 0, 0, "directories only, no files"},
    {"-F", NULL, NULL, ARGUMENT_FLAG, &given.files, 0, 0, "files only, no directories"},
    {"-c", NULL, NULL, ARGUMENT_FLAG, &given.collective, 0, 0,
     "rank 0 creates the items of all ranks"},
    {"-k", NULL, NULL, ARGUMENT_FLAG, &given.mknod, 0, 0, "make files with mknod"},
    {"-R", NULL, NULL, ARGUMENT_FLAG, &given.random, 0, 0, "stat in a random order"},
    {"-L", NULL, NULL, ARGUMENT_FLAG, &given.leaf_only, 0, 0,
     "items in the lowest directories of the tree only"},
    {"-P", NULL, NULL, ARGUMENT_FLAG, &given.rate_and_time, 0, 0, "tell rate and time"},
    {"-Z", NULL, NULL, ARGUMENT_FLAG, &given.time_only, 0, 0, "tell time, not rate"},
    {"-t", NULL, NULL, ARGUMENT_FLAG, &given.overhead, 0, 0,
     "accepted as in IO500's calls, which have no directories of their own to time"},
    {"-u", NULL, NULL, ARGUMENT_FLAG, &given.unique, 0, 0, "a directory tree a rank"},
    {"-v", NULL, NULL, ARGUMENT_COUNT, &given.verbosity, 0, 0, "tell each operation when it ends"},
    {"-X", "--verify-read", NULL, ARGUMENT_FLAG, &given.verify, 0, 0, "compare what is read"},
    {"--verify-write", NULL, NULL, ARGUMENT_FLAG, &given.verify_write, 0, 0,
     "read each file back as soon as it is written, and compare"},
    {"-y", NULL, NULL, ARGUMENT_FLAG, &given.sync_file, 0, 0, "fsync each file after writing it"},
    {"-Y", NULL, NULL, ARGUMENT_FLAG, &given.sync_all, 0, 0,
     "sync after each operation's phase, inside the time"},
    {"--posix.odirect", NULL, NULL, ARGUMENT_FLAG, &given.direct, 0, 0,
     "direct I/O, past the page cache"},
    {"-a", NULL, NULL, ARGUMENT_TEXT, &given.api, 0, 0, "POSIX"},
    {"-b", NULL, NULL, ARGUMENT_NUMBER, &given.branch, 1, 1000000,
     "directories below each directory of the tree"},
    {"-d", NULL, NULL, ARGUMENT_TEXT, &given.directory, 0, 0, "where to work"},
    {"-e", NULL, NULL, ARGUMENT_SIZE, &given.read_bytes, 0, 0,
     "bytes to read of each file; 0: only open and close"},
    {"-G", NULL, NULL, ARGUMENT_NUMBER, &given.seed, INT32_MIN, INT32_MAX, "seed of the data"},
    {"-i", NULL, NULL, ARGUMENT_NUMBER, &given.iterations, 1, 1000000, "iterations"},
    {"-I", NULL, NULL, ARGUMENT_NUMBER, &given.items, 0, MOST, "items a directory"},
    {"-n", NULL, NULL, ARGUMENT_NUMBER, &given.each, 0, 0,
     "items a rank; with -I in as many trees as that takes"},
    {"-N", NULL, NULL, ARGUMENT_NUMBER, &given.stride, 0, MOST,
     "by how many nodes a rank goes on between operations, past caches"},
    {"-p", NULL, NULL, ARGUMENT_NUMBER, &given.delay, 0, MOST, "seconds before each iteration"},
    {"--random-seed", NULL, NULL, ARGUMENT_NUMBER, &given.random_seed, 0, MOST, "seed of -R"},
    {"-V", NULL, NULL, ARGUMENT_NUMBER, &given.level, 0, 10, "as so many -v"},
    {"-w", NULL, NULL, ARGUMENT_SIZE, &given.write_bytes, 0, 0, "bytes to write to each file"},
    {"-W", NULL, NULL, ARGUMENT_NUMBER, &given.stonewall, 0, MOST,
     "seconds after which creating files stops; then each rank does as much as the fastest"},
    {"-x", NULL, NULL, ARGUMENT_TEXT, &given.status_file, 0, 0,
     "keeps the files of a rank, for a later call that does not create"},
    {"-z", NULL, NULL, ARGUMENT_NUMBER, &given.depth, 0, 1000, "depth of the tree"},
    {"--dataPacketType", NULL, NULL, ARGUMENT_TEXT, &given.packet, 0, 0,
     "timestamp, offset, incompressible or random"},
    {"--saveRankPerformanceDetails", NULL, NULL, ARGUMENT_OUTPUT, &given.csv, 0, 0,
     "CSV file for a row a rank and iteration"},
    {.value = NULL}};

static const struct tool tool = {
    .name = "mdtest", .synopsis = "mdtest [options]", .arguments = arguments};

#define MOST_DIRECTORIES 1e9
static void check_given(void) {
  double directories = 1, level = 1;
  for (int64_t i = 0; i < given.depth && directories <= MOST_DIRECTORIES; i++)
    directories += level *= (double)given.branch;
  if (directories > MOST_DIRECTORIES)
    refuse("mdtest: -b %" PRId64 " -z %" PRId64 " makes a tree of more than 10^9 directories",
           given.branch, given.depth);
  if (given.collective && given.stonewall) refuse("mdtest: -c with -W is not supported");
  if (!given.items && !given.each)
    refuse("mdtest: how many? -n items a rank, or -I items a directory");
  if (given.files && given.directories) refuse("mdtest: -F and -D leave nothing to do");
  if (given.overhead && given.unique) refuse("mdtest: -t with -u is not supported");
  if (given.read_bytes > given.write_bytes)
    refuse("mdtest: -e %" PRIu64 " is more than -w %" PRIu64 " writes", given.read_bytes,
           given.write_bytes);
  if (given.write_bytes > INT32_MAX)
    refuse("mdtest: -w %" PRIu64 ": a file has less than 2 GiB", given.write_bytes);
  if (strcasecmp(given.api, "POSIX"))
    refuse("mdtest: -a %s is not supported; there is POSIX", given.api);
}

struct mdtest_tree mdtest_tree_given(void) {
  struct mdtest_tree tree = {.branch = (uint64_t)given.branch,
                             .depth = (uint64_t)given.depth,
                             .leaf_only = given.leaf_only};
  uint64_t directories = mdtest_item_directories(&tree);
  tree.items = given.items ? (uint64_t)given.items : (uint64_t)given.each / directories;
  if (given.items && given.each) {
    uint64_t a_tree = tree.items * directories, items = (uint64_t)given.each;
    tree.trees = items / a_tree + (items % a_tree != 0);
  }
  if (!tree.items)
    refuse("mdtest: -n %" PRId64 " is less than one item for each of %" PRIu64 " directories",
           given.each, directories);
  return tree;
}

const struct mdtest_given *mdtest_arguments(int argc, char **argv) {
  if (!arguments_parse(&tool, argc, argv)) return NULL;
  check_given();
  if (given.create || !(given.stat || given.read || given.remove))
    path_for_output("mdtest", "-x", given.status_file);
  given.verbosity += (int)given.level;
  return &given;
}
