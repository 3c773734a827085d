/* The API of a phase: "POSIX --posix.odirect" in the INI file. */
#ifndef HDB_API_H
#define HDB_API_H

#include <stdbool.h>

/* As written in the phase's section, else its group's, else [global]. */
const char *api_text(const char *phase, const char *group);

bool api_direct(const char *phase, const char *group);

/* Refuses an API or an option of it that this engine does not have. */
void api_check(const char *phase, const char *group);

#endif
