/* The options of a workload that runs on its own: one table a tool, from which its command line is
   read and its help is printed. */
#ifndef HDB_TOOL_ARGUMENTS_H
#define HDB_TOOL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum argument_kind {
  ARGUMENT_FLAG,   /* bool: given or not */
  ARGUMENT_COUNT,  /* int: how often it is given */
  ARGUMENT_NUMBER, /* int64_t */
  ARGUMENT_SIZE,   /* uint64_t, bytes: 8, 4k, 2m, 1g */
  ARGUMENT_REAL,   /* double, not negative */
  ARGUMENT_TEXT,   /* const char * */
  ARGUMENT_OUTPUT, /* the same: a file of results, which must be possible */
};

struct argument {
  const char *name;      /* "-C"; NULL: only a directive */
  const char *other;     /* another spelling, "--collective", or NULL */
  const char *directive; /* its key in -O key=value, or NULL */
  enum argument_kind kind;
  void *value;         /* of the kind's type; what it holds before is the default */
  int64_t least, most; /* of a number; most 0: no limit */
  const char *help;
};

struct tool {
  const char *name;
  const char *synopsis;
  const struct argument *arguments; /* ends with a NULL value */
  const char **operand; /* takes the one argument without a dash; NULL: none is allowed */
};

/* Reads the command line, or refuses it in one line. False: it asked for help, which was printed.
 */
bool arguments_parse(const struct tool *tool, int argc, char **argv);

/* A part of the tool's work is over: it goes to the files that --record asks for, under this name.
   Collective. */
void arguments_record_end(const char *part);

/* The command line as one text, to be freed: the words with a blank between, and each but the first
   between `quote` (empty: none). */
char *arguments_line(int argc, char **argv, const char *quote);

#endif
