/* The grammar of the INI file: sections, keys, comments, and what is said of a line that is none of
 * them. */
#include <ctype.h>
#include <string.h>

#include "common.h"
#include "options.h"

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
  return text;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Ends the line where a comment starts after a blank. */
static void cut_comment(char *line) {
  for (char *c = line + 1; *c; c++)
    if ((*c == '#' || *c == ';') && is_blank(c[-1])) {
      *c = '\0';
      return;
    }
}

static bool only(const char *text, const char *further) {
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && !strchr(further, *text)) return false;
  return true;
}

static struct section *parse_header(const char *file, int number, char *line) {
  char *end = strchr(line, ']');
  if (!end || end[1])
    refuse("%s:%d: \"%s\" is no section; a section is [name]", file, number, line);
  *end = '\0';
  char *name = trim(line + 1);
  if (!*name || !only(name, "-_"))
    refuse("%s:%d: \"%s\" is no name of a section", file, number, name);
  struct section *section = options_section(name);
  if (!section)
    refuse("%s:%d: unknown section [%s]; --list shows the sections there are", file, number, name);
  return section;
}

static void parse_assignment(const char *file, int number, struct section *section, char *line) {
  char *equals = strchr(line, '=');
  if (!equals) refuse("%s:%d: \"%s\" is neither [section] nor key = value", file, number, line);
  *equals = '\0';
  char *key = trim(line);
  char *value = trim(equals + 1);
  if (!*key || !only(key, "-_."))
    refuse("%s:%d: \"%s\" is no name of an option", file, number, key);
  if (strpbrk(value, "#;"))
    refuse("%s:%d: the value \"%s\" of %s holds # or ;, which this format cannot carry", file,
           number, value, key);
  if (!section) refuse("%s:%d: %s is set before the first [section]", file, number, key);
  struct option *option = options_key(section, key);
  if (!option)
    refuse("%s:%d: unknown option %s in [%s]; --list shows the options there are", file, number,
           key, section->name);
  if (!*value) return; /* an empty value leaves the default in force */
  const char *expected = options_set(option, value);
  if (expected)
    refuse("%s:%d: [%s] %s = %s: expected %s", file, number, section->name, key, value, expected);
}

void ini_parse(const char *file, char *text) {
  struct section *section = NULL;
  int number = 0;
  for (char *line = text; line;) {
    char *next = strchr(line, '\n');
    if (next) *next++ = '\0';
    number++;
    char *content = trim(line);
    if (*content && *content != '#' && *content != ';') {
      cut_comment(content);
      content = trim(content);
      if (*content == '[')
        section = parse_header(file, number, content);
      else
        parse_assignment(file, number, section, content);
    }
    line = next;
  }
}
