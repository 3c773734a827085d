#include "score.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common.h"
#include "hash.h"
#include "phases.h"
#include "result.h"

/* One of the two scores of a run. */
struct kind {
  const char *section, *label;
  bool extended;
};

static bool counts(const struct phase *phase, const struct kind *kind) {
  return phase->counts_to == SCORE_BANDWIDTH || phase->counts_to == SCORE_METADATA ||
         (kind->extended && phase->counts_to == SCORE_METADATA_EXTENDED);
}

/* Geometric mean of the positive scores of bandwidth, or of all others that count; 0 without any.
 */
static double mean_of(const struct kind *kind, bool bandwidth) {
  double product = 0;
  int count = 0;
  for (struct phase *phase = phases; phase->name; phase++) {
    if (!counts(phase, kind) || (phase->counts_to == SCORE_BANDWIDTH) != bandwidth) continue;
    if (phase->score <= 0) continue;
    product += log(phase->score);
    count++;
  }
  return count ? exp(product / count) : 0;
}

static void hash_number(uint32_t *hash, const char *key, double value) {
  char *text = format_text("%f", value);
  *hash ^= hash_pair(key, text);
  free(text);
}

/* SCORE's hash covers the version and its phases, SCOREX's the phases that only it has. */
static uint32_t hash_phases(const struct kind *kind) {
  uint32_t hash = kind->extended ? 0 : hash_pair("version", ENGINE_VERSION);
  for (struct phase *phase = phases; phase->name; phase++) {
    bool further = phase->counts_to == SCORE_METADATA_EXTENDED;
    if (counts(phase, kind) && further == kind->extended && phase->done)
      hash_number(&hash, phase->name, phase->score);
  }
  return hash;
}

static void write_one(const struct kind *kind, bool invalid) {
  int scored = 0, all = 0;
  for (struct phase *phase = phases; phase->name; phase++) {
    if (kind->extended || !phase->extended) invalid |= phase->invalid;
    all += counts(phase, kind);
    scored += counts(phase, kind) && phase->done;
  }
  double metadata = mean_of(kind, false), bandwidth = mean_of(kind, true);
  double total = sqrt(metadata * bandwidth);
  result_section(kind->section);
  if (scored < all) {
    invalid = true;
    result_invalid(kind->section, "only %d of the %d scored phases ran", scored, all);
  }
  uint32_t hash = hash_phases(kind);
  hash_number(&hash, "MD", metadata);
  hash_number(&hash, "BW", bandwidth);
  hash_number(&hash, "SCORE", total);
  if (invalid) hash ^= hash_pair("valid", "NO");
  const char *mark = invalid ? " [INVALID]" : "";
  result_pair("MD", "%f", metadata);
  result_pair("BW", "%f", bandwidth);
  result_pair("SCORE", "%f%s", total, mark);
  result_pair("hash", "%" PRIX32, hash);
  summary_line("[%s] Bandwidth %f GiB/s : IOPS %f kiops : TOTAL %f%s", kind->label, bandwidth,
               metadata, total, mark);
}

void score_write(bool invalid) {
  write_one(&(struct kind){"SCORE", "SCORE ", false}, invalid);
  if (run.extended) write_one(&(struct kind){"SCOREX", "SCOREX", true}, invalid);
}
