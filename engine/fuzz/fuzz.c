/* Whatever a user may hand to the engine's parsers. They may refuse it, in the one way there is;
   they may not read or write where they should not, overflow, hang, or find themselves broken.

   The first byte chooses the parser: `i` an INI file, `c` the command line of a run (a word a
   line), `t` that of a tool, `a` an API with its options, anything else a size.

   libFuzzer calls LLVMFuzzerTestOneInput. Compiled with -DREPLAY, main does: with each file it is
   given, and with so many changed copies of it, the same in every call.
     replay <changed copies> <file>...
   Links with -Wl,--wrap=refuse,--wrap=MPI_Bcast. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../api.h"
#include "../cli.h"
#include "../common.h"
#include "../options.h"
#include "../tool_arguments.h"

#define MOST_WORDS 64

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
_Noreturn void __wrap_refuse(const char *format, ...);
int __wrap_MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm ranks);

static jmp_buf refused;

/* What the text would have been is made all the same: that is where bad input ends up. */
void __wrap_refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char message[2 * HDB_PATH];
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  longjmp(refused, 1);
}

int __wrap_MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm ranks) {
  (void)buffer, (void)count, (void)type, (void)root, (void)ranks;
  return 0; /* one rank */
}

/* The text by lines. argv[0] is a name. */
static int split(char *text, char **argv) {
  int argc = 1;
  argv[0] = (char *)"engine";
  for (char *rest, *line = strtok_r(text, "\n", &rest); line && argc < MOST_WORDS;
       line = strtok_r(NULL, "\n", &rest))
    argv[argc++] = line;
  argv[argc] = NULL;
  return argc;
}

static bool flag;
static int count;
static int64_t number;
static uint64_t size_value;
static double real;
static const char *word, *operand;
static const struct argument arguments[] = {
    {"-f", "--flag", "flag", ARGUMENT_FLAG, &flag, 0, 0, ""},
    {"-v", NULL, "verbose", ARGUMENT_COUNT, &count, 0, 0, ""},
    {"-n", "--number", "number", ARGUMENT_NUMBER, &number, 0, 2000000000, ""},
    {"-G", NULL, NULL, ARGUMENT_NUMBER, &number, INT32_MIN, INT32_MAX, ""},
    {"-b", NULL, "blockSize", ARGUMENT_SIZE, &size_value, 0, 0, ""},
    {"-t", NULL, NULL, ARGUMENT_REAL, &real, 0, 0, ""},
    {NULL, NULL, "file", ARGUMENT_TEXT, &word, 0, 0, ""},
    {"-o", NULL, "testFile", ARGUMENT_TEXT, &word, 0, 0, ""},
    {.value = NULL}};
static const struct tool tool = {
    .name = "tool", .synopsis = "", .arguments = arguments, .operand = &operand};

static void parse_tool(int argc, char **argv) {
  if (arguments_parse(&tool, argc, argv)) free(arguments_line(argc, argv, "'"));
}

/* A program parses one command line; what it keeps of it must not outlive the text here. */
static void forget_tool(void) {
  static char record[] = "--record=/tmp", *argv[] = {record, record, NULL};
  word = operand = NULL;
  count = 0;
  arguments_parse(&tool, 2, argv);
}

static void parse(char kind, char *text) {
  char *argv[MOST_WORDS + 1];
  uint64_t bytes;
  switch (kind) {
    case 'i':
      ini_parse("run.ini", text);
      options_hash();
      options_dump(stdout);
      break;
    case 'c': {
      int argc = split(text, argv);
      if (argc > 1 && !cli_answer(argc, argv)) cli_parse(argc, argv);
      break;
    }
    case 't': parse_tool(split(text, argv), argv); break;
    case 'a': api_parse(text, "ior-easy"); break;
    default:
      if (parse_size(text, &bytes)) human_size((double)bytes);
  }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  if (!freopen("/dev/null", "w", stdout)) return 1;
  world.size = 1;
  return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  if (!size) return 0;
  char *volatile text = malloc(size);
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  if (!setjmp(refused)) parse((char)data[0], text);
  forget_tool();
  free(text);
  return 0;
}

#ifdef REPLAY
static uint64_t state;

static size_t below(size_t most) {
  state = state * 2862933555777941757ULL + 3037000493ULL;
  return (size_t)(state >> 33) % (most ? most : 1);
}

#define MOST 65536
/* Changes the text in one place. Returns its new size. */
static size_t change(unsigned char *text, size_t size) {
  static const char *const words[] = {"[",
                                      "]",
                                      "=",
                                      "#",
                                      ";",
                                      "\n",
                                      "\r\n",
                                      "\"",
                                      "%s",
                                      "%n",
                                      ",",
                                      "-",
                                      "-O",
                                      "=1",
                                      "--",
                                      "TRUE",
                                      "-1",
                                      "99999999999999999999",
                                      "2m",
                                      "1e999",
                                      "nan",
                                      "[global]",
                                      "--posix.odirect",
                                      "\xff"};
  size_t at = below(size), span = below(size - at < 40 ? size - at + 1 : 40);
  const char *added = words[below(sizeof words / sizeof words[0])];
  size_t length = strlen(added), to;
  switch (below(5)) {
    case 0: text[at] = (unsigned char)below(256); return size;
    case 1: text[at] ^= (unsigned char)(1 << below(8)); return size;
    case 2:
      if (size + length > MOST) return size;
      memmove(text + at + length, text + at, size - at);
      memcpy(text + at, added, length);
      return size + length;
    case 3: /* without a piece */
      if (span >= size) return size;
      memmove(text + at, text + at + span, size - at - span);
      return size - span;
    default: /* a piece again elsewhere */
      to = below(size);
      if (size + span > MOST) return size;
      memmove(text + to + span, text + to, size - to);
      if (at + 2 * span < size + span) memmove(text + to, text + at, span);
      return size + span;
  }
}

int main(int argc, char **argv) {
  static unsigned char text[2 * MOST], copy[2 * MOST];
  long copies = argc > 1 ? atol(argv[1]) : 0;
  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 2; i < argc; i++) {
    FILE *file = fopen(argv[i], "rb");
    if (!file) return 2;
    size_t size = fread(text, 1, MOST, file);
    fclose(file);
    LLVMFuzzerTestOneInput(text, size);
    state = (uint64_t)i;
    for (long round = 0; round < copies; round++) {
      memcpy(copy, text, size);
      size_t length = size;
      for (size_t changes = 1 + below(6); changes && length > 1; changes--)
        length = 1 + change(copy + 1, length - 1);
      LLVMFuzzerTestOneInput(copy, length);
    }
  }
  fprintf(stderr, "replayed %d files\n", argc - 2);
  return 0;
}
#endif
