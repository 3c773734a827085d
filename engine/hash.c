#include "hash.h"

uint32_t hash_text(uint32_t hash, const char *text) {
  for (; *text; text++) hash = ((hash << 2) | (hash >> 30)) + (uint32_t)(int32_t)(signed char)*text;
  return hash;
}

uint32_t hash_pair(const char *key, const char *value) {
  return hash_text(hash_text(0, key), value);
}

int32_t signature(const char *group, const char *timestamp) {
  int32_t value = (int32_t)hash_text(hash_text(0, group), timestamp);
  return value == 0 || value == -1 ? 4711 : value;
}
