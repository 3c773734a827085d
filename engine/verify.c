#include "verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "files.h"
#include "hash.h"
#include "options.h"
#include "phases.h"

/* "key             = value" in a section of result.txt; NULL where it is not. To be freed. */
static char *value_of(const char *text, const char *section, const char *key) {
  bool inside = false;
  for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    size_t length = strcspn(line, "\r\n");
    if (*line == '[') {
      inside = strlen(section) + 2 == length && !strncmp(line + 1, section, strlen(section));
    } else if (inside && !strncmp(line, key, strlen(key))) {
      const char *rest = line + strlen(key);
      rest += strspn(rest, " ");
      if (*rest != '=') continue;
      rest++;
      rest += strspn(rest, " ");
      if (rest > line + length) return format_text("%s", "");
      return format_text("%.*s", (int)(line + length - rest), rest);
    }
  }
  return NULL;
}

static const char *needed(const char *path, const char *text, const char *section,
                          const char *key) {
  const char *value = value_of(text, section, key);
  if (!value) refuse("%s: no %s in [%s]: not the result of a complete run", path, key, section);
  return value;
}

/* The pair without what follows a blank, such as " [INVALID]". */
static uint32_t hash_first_word(const char *key, const char *value) {
  char *word = format_text("%.*s", (int)strcspn(value, " "), value);
  uint32_t hash = hash_pair(key, word);
  free(word);
  return hash;
}

static uint32_t score_hash(const char *path, const char *text, const char *version) {
  uint32_t hash = hash_pair("version", version);
  for (struct phase *phase = phases; phase->name; phase++) {
    if (phase->counts_to != SCORE_BANDWIDTH && phase->counts_to != SCORE_METADATA) continue;
    char *score = value_of(text, phase->name, "score");
    if (score) hash ^= hash_first_word(phase->name, score);
    free(score);
  }
  static const char *const keys[] = {"MD", "BW", "SCORE"};
  for (int i = 0; i < 3; i++)
    hash ^= hash_first_word(keys[i], needed(path, text, "SCORE", keys[i]));
  return hash;
}

int verify_result(const char *path) {
  char *text = read_file(path);
  if (!text) refuse("%s: cannot be read: %s", path, strerror(errno));
  const char *version = needed(path, text, "run", "version");
  const char *config_read = needed(path, text, "run", "config-hash");
  const char *score_read = needed(path, text, "SCORE", "hash");
  printf("result file ver = %s\n", version);
  if (strcmp(version, ENGINE_VERSION))
    printf("WARNING Verify the output with the matching version of the benchmark.\n");
  printf("[run]\nconfig-hash     = %s\nscore-hash      = %s\n", config_read, score_read);

  uint32_t config = options_hash(), score = score_hash(path, text, version);
  char *config_text = format_text("%" PRIX32, config), *score_text = format_text("%" PRIX32, score);
  char *invalid_text = format_text("%" PRIX32, score ^ hash_pair("valid", "NO"));
  bool config_good = !strcmp(config_text, config_read);
  bool valid = !strcmp(score_text, score_read), invalid = !strcmp(invalid_text, score_read);
  if (!valid && !invalid)
    printf("ERROR: Score hash expected: \"%s\" read: \"%s\"\n", score_text, score_read);
  if (!config_good)
    printf("ERROR: Configuration hash expected: %s read: %s\n", config_text, config_read);
  if (config_good && (valid || invalid))
    printf("\n[OK]%s\n", valid ? "" : " But this is an invalid run!");
  return config_good && valid ? 0 : 1;
}
