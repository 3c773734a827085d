#include "api.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "options.h"

#define STANDARD_DEPTH 32
#define LARGEST_DEPTH 4096

const char *api_text(const char *phase, const char *group) {
  const char *text = options_key(options_section(phase), "API") ? option_text(phase, "API") : NULL;
  if (!text) text = option_text(group, "API");
  return text ? text : option_text("global", "api");
}

static const struct {
  const char *name;
  enum io_kind kind;
  const char *options; /* as they are named to the user */
} known[] = {{"POSIX", IO_POSIX, "--posix.odirect"},
             {"MPIIO", IO_MPIIO, "none"},
             {"IOURING", IO_URING, "--iouring.odirect and --iouring.depth=N"}};
#define KNOWN (sizeof known / sizeof known[0])

static size_t find_api(const char *phase, const char *text, const char *name) {
  for (size_t i = 0; i < KNOWN; i++)
    if (name && !strcasecmp(known[i].name, name)) {
      if (!io_interface_of(known[i].kind))
        refuse(
            "API = %s for %s: this engine was compiled without liburing; install its development "
            "files and run 'make engine' again",
            text, phase);
      return i;
    }
  refuse("API = %s for %s: the embedded engine has POSIX, MPIIO and IOURING", text, phase);
}

static int parse_depth(const char *phase, const char *word) {
  char *end;
  long depth = strtol(word, &end, 10);
  if (end == word || *end || depth < 1 || depth > LARGEST_DEPTH)
    refuse("--iouring.depth=%s for %s: expected 1 to %d", word, phase, LARGEST_DEPTH);
  return (int)depth;
}

struct io_choice api_parse(const char *text, const char *phase) {
  char *copy = format_text("%s", text), *rest;
  size_t api = find_api(phase, text, strtok_r(copy, " \t", &rest));
  struct io_choice choice = {.kind = known[api].kind, .depth = 1};
  if (choice.kind == IO_URING) choice.depth = STANDARD_DEPTH;
  for (const char *word; (word = strtok_r(NULL, " \t", &rest));) {
    bool direct = choice.kind == IO_POSIX ? !strcmp(word, "--posix.odirect")
                                          : !strcmp(word, "--iouring.odirect");
    if (direct && choice.kind != IO_MPIIO)
      choice.direct = true;
    else if (choice.kind == IO_URING && !strncmp(word, "--iouring.depth=", 16))
      choice.depth = parse_depth(phase, word + 16);
    else
      refuse("API = %s for %s: no option %s; options of %s: %s", text, phase, word, known[api].name,
             known[api].options);
  }
  free(copy);
  return choice;
}

struct io_choice api_choice(const char *phase, const char *group) {
  return api_parse(api_text(phase, group), phase);
}
