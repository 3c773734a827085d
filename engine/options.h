/* The options of the INI file: all sections, keys, defaults and help texts, and their current
 * values. */
#ifndef HDB_OPTIONS_H
#define HDB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_type { OPTION_TEXT, OPTION_BOOL, OPTION_INT, OPTION_UINT, OPTION_FLOAT, OPTION_SIZE };

struct option {
  const char *key;
  const char *help;
  enum option_type type;
  const char *standard; /* the default as text; NULL: none */
  char *value;          /* as set, normalised; NULL: the default holds */
};

/* Where a section is listed, written to config.ini and part of the hash. */
enum section_place {
  ALWAYS,
  OPTIONAL,        /* its phase runs in the extended mode only: not with --list-mandatory */
  WITH_RND4K,      /* of the extended mode of 2021: where its group has run = TRUE */
  WITH_RND1MB,     /* likewise */
  WITH_CONCURRENT, /* likewise */
  WITHOUT_2021     /* where none of them has */
};

struct section {
  const char *name;
  enum section_place place;
  struct option *options;
};

/* Sections in the order of a run; ends with a NULL name. */
extern struct section sections[];

struct section *options_section(const char *name);
struct option *options_key(struct section *section, const char *key);

/* Sets a value after checking its type. NULL: done; else what was expected, "bool (true|false)". */
const char *options_set(struct option *option, const char *value);

/* The value in force, or NULL where the option has neither value nor default. Unknown names end the
 * run. */
const char *option_text(const char *section, const char *key);
bool option_true(const char *section, const char *key);
int64_t option_number(const char *section, const char *key, int64_t otherwise);
int option_int(const char *section, const char *key, int otherwise); /* or refuses a larger one */
uint64_t option_size(const char *section, const char *key);

/* Whether the INI file asks for phases of the extended mode of 2021. */
bool options_2021(void);

/* --list: defaults with their help texts; mandatory leaves the extended phases out. */
void options_list(FILE *file, bool mandatory);

/* config.ini: every section with the values in force, without comments. */
void options_dump(FILE *file);

/* XOR over the pairs of every option that has a value. */
uint32_t options_hash(void);

/* Reads an INI text (name for messages) into the options, or refuses with file, line and remedy. */
void ini_parse(const char *name, char *text);

#endif
