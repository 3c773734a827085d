#include "api.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "options.h"

const char *api_text(const char *phase, const char *group) {
  const char *text = options_key(options_section(phase), "API") ? option_text(phase, "API") : NULL;
  if (!text) text = option_text(group, "API");
  return text ? text : option_text("global", "api");
}

/* The first word is the API, the others its options. */
static void each_option(const char *phase, const char *text, bool *direct) {
  char *copy = format_text("%s", text), *rest;
  const char *api = strtok_r(copy, " \t", &rest);
  if (!api || strcasecmp(api, "POSIX"))
    refuse("API = %s for %s: this version of the embedded engine has POSIX only", text, phase);
  for (const char *word; (word = strtok_r(NULL, " \t", &rest));) {
    if (strcmp(word, "--posix.odirect"))
      refuse("API = %s for %s: no option %s; there is --posix.odirect", text, phase, word);
    *direct = true;
  }
  free(copy);
}

bool api_direct(const char *phase, const char *group) {
  bool direct = false;
  each_option(phase, api_text(phase, group), &direct);
  return direct;
}

void api_check(const char *phase, const char *group) { api_direct(phase, group); }
