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

/* Whether a phase is one that only SCOREX has. */
static bool is_further(const struct phase *phase) { return phase->counts_to > SCORE_METADATA; }

static bool counts(const struct phase *phase, const struct kind *kind) {
  if (phase->counts_to == SCORE_NONE || !phase_listed(phase)) return false;
  return kind->extended || !is_further(phase);
}

/* What the total is made of. */
enum group { BANDWIDTH, METADATA, CONCURRENT };

static enum group group_of(const struct phase *phase) {
  switch (phase->counts_to) {
    case SCORE_BANDWIDTH:
    case SCORE_BANDWIDTH_EXTENDED: return BANDWIDTH;
    case SCORE_CONCURRENT: return CONCURRENT;
    default: return METADATA;
  }
}

/* Geometric mean of the group's positive scores; 0 without any. */
static double mean_of(const struct kind *kind, enum group group) {
  double product = 0;
  int count = 0;
  for (struct phase *phase = phases; phase->name; phase++) {
    if (!counts(phase, kind) || group_of(phase) != group || phase->score <= 0) continue;
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
    if (counts(phase, kind) && is_further(phase) == kind->extended && phase->done)
      hash_number(&hash, phase->name, phase->score);
  }
  return hash;
}

static bool is_extended(const struct phase *phase) {
  return phase->list == LIST_EXTENDED || phase->list == LIST_EXTENDED_2021;
}

static void write_one(const struct kind *kind, bool invalid) {
  int scored = 0, all = 0;
  for (struct phase *phase = phases; phase->name; phase++) {
    if (kind->extended || !is_extended(phase)) invalid |= phase->invalid;
    all += counts(phase, kind);
    scored += counts(phase, kind) && phase->done;
  }
  double metadata = mean_of(kind, METADATA), bandwidth = mean_of(kind, BANDWIDTH);
  double concurrent = mean_of(kind, CONCURRENT);
  double total =
      concurrent > 0 ? cbrt(metadata * bandwidth * concurrent) : sqrt(metadata * bandwidth);
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
  if (concurrent > 0) result_pair("CONCURRENT", "%f", concurrent);
  result_pair("SCORE", "%f%s", total, mark);
  result_pair("hash", "%" PRIX32, hash);
  summary_line("[%s] Bandwidth %f GiB/s : IOPS %f kiops : TOTAL %f%s", kind->label, bandwidth,
               metadata, total, mark);
}

void score_write(bool invalid) {
  write_one(&(struct kind){"SCORE", "SCORE ", false}, invalid);
  if (run.extended) write_one(&(struct kind){"SCOREX", "SCOREX", true}, invalid);
}
