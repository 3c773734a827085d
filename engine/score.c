#include "score.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common.h"
#include "hash.h"
#include "phases.h"
#include "result.h"

/* Geometric mean of the positive scores of a group; 0 without any. */
static double mean_of(enum phase_score group) {
  double product = 0;
  int count = 0;
  for (struct phase *phase = phases; phase->name; phase++)
    if (phase->counts_to == group && phase->score > 0) {
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

void score_write(bool invalid) {
  uint32_t hash = hash_pair("version", ENGINE_VERSION);
  int scored = 0, all = 0;
  for (struct phase *phase = phases; phase->name; phase++) {
    invalid |= phase->invalid;
    all += phase->counts_to != SCORE_NONE;
    if (phase->counts_to == SCORE_NONE || !phase->done) continue;
    scored++;
    hash_number(&hash, phase->name, phase->score);
  }
  double metadata = mean_of(SCORE_METADATA), bandwidth = mean_of(SCORE_BANDWIDTH);
  double total = sqrt(metadata * bandwidth);
  result_section("SCORE");
  if (scored < all) {
    invalid = true;
    result_invalid("SCORE", "only %d of the %d scored phases ran", scored, all);
  }
  hash_number(&hash, "MD", metadata);
  hash_number(&hash, "BW", bandwidth);
  hash_number(&hash, "SCORE", total);
  if (invalid) hash ^= hash_pair("valid", "NO");
  const char *mark = invalid ? " [INVALID]" : "";
  result_pair("MD", "%f", metadata);
  result_pair("BW", "%f", bandwidth);
  result_pair("SCORE", "%f%s", total, mark);
  result_pair("hash", "%" PRIX32, hash);
  summary_line("[SCORE ] Bandwidth %f GiB/s : IOPS %f kiops : TOTAL %f%s", bandwidth, metadata,
               total, mark);
}
