/* Names with a number in them, as runs leave them, found by looking and not by counting. */
#ifndef HDB_LEFTOVERS_H
#define HDB_LEFTOVERS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads <before><number><after> from a name, and nothing else. False: it is another name. */
bool numbered_name(const char *name, const char *before, const char *after, uint64_t *number);

/* Calls take with the path of each such name in a directory whose number falls to this rank: its
   own, and those of an earlier run's ranks that this run does not have. Nothing where there is no
   such directory. */
void each_numbered(const char *directory, const char *before, const char *after,
                   void (*take)(const char *path, void *context), void *context);

/* To take with each_numbered: removes the file. */
void remove_leftover(const char *path, void *context);

#endif
