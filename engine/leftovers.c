#include "leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

bool numbered_name(const char *name, const char *before, const char *after, uint64_t *number) {
  size_t length = strlen(before);
  if (strncmp(name, before, length) || !isdigit((unsigned char)name[length])) return false;
  char *end;
  *number = strtoull(name + length, &end, 10);
  return !strcmp(end, after);
}

void each_numbered(const char *directory, const char *before, const char *after,
                   void (*take)(const char *path, void *context), void *context) {
  DIR *open_directory = opendir(directory);
  if (!open_directory) return;
  for (struct dirent *entry; (entry = readdir(open_directory));) {
    uint64_t number;
    if (!numbered_name(entry->d_name, before, after, &number)) continue;
    if (number % (uint64_t)world.size != (uint64_t)world.rank) continue;
    char *path = format_text("%s/%s", directory, entry->d_name);
    take(path, context);
    free(path);
  }
  closedir(open_directory);
}

void remove_leftover(const char *path, void *context) {
  (void)context;
  unlink(path);
}
