#include "tool_arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common.h"
#include "record.h"
#include "tool_paths.h"

#define DIRECTIVES "-O"

static const char *record_directory;
/* What every tool understands. */
static const struct argument shared[] = {
    {"--record", NULL, NULL, ARGUMENT_TEXT, &record_directory, 0, 0,
     "directory for timeseries.csv, latency.csv, histogram.csv and ranks.csv, which must be there"},
    {.value = NULL}};

static bool takes_value(const struct argument *argument) {
  return argument->kind != ARGUMENT_FLAG && argument->kind != ARGUMENT_COUNT;
}

static void set_number(const struct tool *tool, const struct argument *argument, const char *name,
                       const char *text) {
  char *end;
  errno = 0;
  int64_t number = strtoll(text, &end, 10);
  int64_t most = argument->most ? argument->most : INT64_MAX;
  if (end == text || *end || errno || number < argument->least || number > most) {
    if (argument->most)
      refuse("%s: %s = %s: expected an integer from %" PRId64 " to %" PRId64, tool->name, name,
             text, argument->least, most);
    refuse("%s: %s = %s: expected an integer, %" PRId64 " or more", tool->name, name, text,
           argument->least);
  }
  *(int64_t *)argument->value = number;
}

static void set_real(const struct tool *tool, const struct argument *argument, const char *name,
                     const char *text) {
  char *end;
  double number = strtod(text, &end);
  if (end == text || *end || !(number >= 0 && number < 1e18))
    refuse("%s: %s = %s: expected a number, 0 or more", tool->name, name, text);
  *(double *)argument->value = number;
}

static void set_value(const struct tool *tool, const struct argument *argument, const char *name,
                      const char *text) {
  switch (argument->kind) {
    case ARGUMENT_NUMBER: set_number(tool, argument, name, text); break;
    case ARGUMENT_REAL: set_real(tool, argument, name, text); break;
    case ARGUMENT_TEXT:
    case ARGUMENT_OUTPUT:
      if (!*text) refuse("%s: %s needs a value", tool->name, name);
      *(const char **)argument->value = text;
      break;
    case ARGUMENT_SIZE:
      if (!parse_size(text, argument->value))
        refuse("%s: %s = %s: expected a size such as 47008, 4k, 2m or 1g", tool->name, name, text);
      break;
    default: break;
  }
}

/* A flag as a directive: key=1 gives it, key=0 takes it back. */
static void set_flag(const struct tool *tool, const struct argument *argument, const char *name,
                     const char *text) {
  bool on = !strcmp(text, "1") || !strcasecmp(text, "true");
  if (!on && strcmp(text, "0") && strcasecmp(text, "false"))
    refuse("%s: %s = %s: expected 0 or 1", tool->name, name, text);
  if (argument->kind == ARGUMENT_FLAG)
    *(bool *)argument->value = on;
  else
    *(int *)argument->value = on;
}

/* -O key=value, or several with commas between. */
static void set_directives(const struct tool *tool, char *text) {
  char *rest;
  for (char *key = strtok_r(text, ",", &rest); key; key = strtok_r(NULL, ",", &rest)) {
    char *equals = strchr(key, '=');
    if (!equals) refuse("%s: -O %s: expected -O key=value", tool->name, key);
    *equals = '\0';
    const struct argument *argument = tool->arguments;
    while (argument->value && (!argument->directive || strcasecmp(argument->directive, key)))
      argument++;
    if (!argument->value)
      refuse("%s: -O %s is not supported; --help lists what is", tool->name, key);
    char *name = format_text("-O %s", key);
    if (takes_value(argument))
      set_value(tool, argument, name, equals + 1);
    else
      set_flag(tool, argument, name, equals + 1);
    free(name);
  }
}

/* Whether the word is this spelling, alone or with =value. */
static bool spells(const char *word, const char *spelling) {
  if (!spelling) return false;
  size_t length = strlen(spelling);
  return !strncmp(word, spelling, length) && (!word[length] || word[length] == '=');
}

static const struct argument *find(const struct tool *tool, const char *word) {
  for (const struct argument *argument = tool->arguments; argument->value; argument++)
    if (spells(word, argument->name) || spells(word, argument->other)) return argument;
  return spells(word, shared->name) ? shared : NULL;
}

static bool has_directives(const struct tool *tool) {
  for (const struct argument *argument = tool->arguments; argument->value; argument++)
    if (argument->directive) return true;
  return false;
}

/* What follows the option: after its =, or the next word. */
static char *value_of(const struct tool *tool, int argc, char **argv, int *i) {
  char *equals = strchr(argv[*i], '=');
  if (equals) return equals + 1;
  if (*i + 1 == argc) refuse("%s: %s needs a value", tool->name, argv[*i]);
  return argv[++*i];
}

static void add_value(struct text *line, const struct argument *argument) {
  const char *text;
  switch (argument->kind) {
    case ARGUMENT_NUMBER: text_add(line, "=%" PRId64, *(int64_t *)argument->value); break;
    case ARGUMENT_SIZE: text_add(line, "=%" PRIu64, *(uint64_t *)argument->value); break;
    case ARGUMENT_REAL: text_add(line, "=%g", *(double *)argument->value); break;
    case ARGUMENT_TEXT:
    case ARGUMENT_OUTPUT:
      text = *(const char **)argument->value;
      text_add(line, "=%s", text ? text : "STRING");
      break;
    default: break;
  }
}

/* "-l, --dataPacketType=timestamp     dataPacketType -- what it does" */
static void print_argument(const struct argument *argument) {
  struct text line = {0};
  const char *name = argument->name, *other = argument->other;
  bool spelt = name || other;
  text_add(&line, "%s%s%s", spelt ? "" : DIRECTIVES " ", name ? name : "",
           name && other ? ", " : "");
  text_add(&line, "%s", other ? other : spelt ? "" : argument->directive);
  add_value(&line, argument);
  bool both = spelt && argument->directive;
  printf("  %-29s %s%s%s\n", line.data, both ? argument->directive : "", both ? " -- " : "",
         argument->help);
  free(line.data);
}

static void print_help(const struct tool *tool) {
  printf("Synopsis %s\n", tool->synopsis);
  for (int with_value = 0; with_value < 2; with_value++) {
    printf("\n%s\n", with_value ? "Optional arguments" : "Flags");
    for (const struct argument *argument = tool->arguments; argument->value; argument++)
      if (takes_value(argument) == with_value) print_argument(argument);
  }
  print_argument(shared);
  if (has_directives(tool))
    printf("  %-29s %s\n", DIRECTIVES "=STRING",
           "directives: any name before a -- above, as in -O fsync=1,segmentCount=4");
  printf("  %-29s %s\n", "-h, --help", "print this and exit");
}

static void check_outputs(const struct tool *tool) {
  for (const struct argument *argument = tool->arguments; argument->value; argument++) {
    if (argument->kind != ARGUMENT_OUTPUT) continue;
    const char *name = argument->name ? argument->name : argument->other;
    char *directive = format_text(DIRECTIVES " %s", argument->directive ? argument->directive : "");
    path_for_output(tool->name, name ? name : directive, *(const char **)argument->value);
    free(directive);
  }
}

static void start_record(const struct tool *tool) {
  record.off = !record_directory;
  if (record.off) return;
  int error = world.rank == 0 && access(record_directory, W_OK | X_OK) ? errno : 0;
  MPI_Bcast(&error, 1, MPI_INT, 0, world.comm);
  if (error) refuse("%s: --record=%s: %s", tool->name, record_directory, strerror(error));
}

void arguments_record_end(const char *part) {
  if (record_directory) record_end(record_directory, part, NULL);
}

bool arguments_parse(const struct tool *tool, int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
      if (world.rank == 0) print_help(tool);
      return false;
    }
  bool operand = false;
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    const struct argument *argument = find(tool, word);
    if (!argument && has_directives(tool) && spells(word, DIRECTIVES)) {
      char *copy = format_text("%s", value_of(tool, argc, argv, &i));
      /* Values point into the copy: it stays. */
      set_directives(tool, copy);
    } else if (!argument && *word != '-' && tool->operand && !operand) {
      *tool->operand = word;
      operand = true;
    } else if (!argument) {
      refuse("%s: %s is not supported; --help lists what is", tool->name, word);
    } else if (takes_value(argument)) {
      set_value(tool, argument, argument->name ? argument->name : argument->other,
                value_of(tool, argc, argv, &i));
    } else if (strchr(word, '=')) {
      refuse("%s: %s: this option takes no value", tool->name, word);
    } else if (argument->kind == ARGUMENT_COUNT) {
      ++*(int *)argument->value;
    } else {
      *(bool *)argument->value = true;
    }
  }
  check_outputs(tool);
  start_record(tool);
  return true;
}

char *arguments_line(int argc, char **argv, const char *quote) {
  struct text line = {0};
  text_add(&line, "%s", argv[0]);
  for (int i = 1; i < argc; i++) text_add(&line, " %s%s%s", quote, argv[i], quote);
  return line.data;
}
