#include "small_file.h"

#include <stdio.h>
#include <string.h>

#include "common.h"

bool count_failure(uint64_t *errors, const char *call, const char *path, int error) {
  if (error_is_fatal(error)) fail_call(call, path, -1, error);
  if ((*errors)++ == 0)
    printf("WARNING: rank %d on %s: %s \"%s\": %s (%s)\n", world.launched, world.host, call, path,
           strerror(error), error_name(error));
  return false;
}

bool count_wrong_data(uint64_t *errors, const char *path, size_t where) {
  if ((*errors)++ == 0)
    printf("WARNING: rank %d on %s: wrong data in \"%s\" at offset %zu\n", world.launched,
           world.host, path, where);
  return false;
}
