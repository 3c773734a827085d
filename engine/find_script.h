/* The find phase by a script of the user's instead of the engine's own walk. */
#ifndef HDB_FIND_SCRIPT_H
#define HDB_FIND_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#define SCRIPT_LINE 4096

struct script_result {
  double time;  /* wall time of the command, s */
  int status;   /* as wait(2) gives it; 0: good */
  bool counted; /* its last line was MATCHED found/total; else the lines were counted */
  uint64_t found, total;
  char last[SCRIPT_LINE]; /* its last line */
};

/* What is run. The first two texts are split at blanks, and no shell looks at any. */
struct script_command {
  const char *launcher; /* what stands before the script: mpirun -np 4; "" for nothing */
  const char *options;  /* what stands after it; "" for nothing */
  const char *script;
  const char *const *arguments; /* find's, as they are; ends with NULL */
};

/* Runs the command on rank 0 while the others wait; every rank gets the result. */
struct script_result script_run(const struct script_command *command);

#endif
