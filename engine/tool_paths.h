/* Paths of a workload that runs on its own, looked at before it starts. Collective; rank 0 looks.
 */
#ifndef HDB_TOOL_PATHS_H
#define HDB_TOOL_PATHS_H

#include <stdbool.h>

/* Refuses a file of results that could not be written when all is measured. NULL: none was asked
   for. */
void path_for_output(const char *tool, const char *option, const char *path);

/* Refuses a file of results in the place of the data: of the file `data`, or with `numbered` of
   those that have its name with a dot and numbers behind it. */
void path_apart(const char *tool, const char *option, const char *path, const char *data,
                bool numbered);

/* Refuses a directory where one file is to be. */
void path_of_file(const char *tool, const char *option, const char *path);

#endif
