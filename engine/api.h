/* The API of a phase in the INI file: "POSIX --posix.odirect", "MPIIO", "IOURING
 * --iouring.depth=32". */
#ifndef HDB_API_H
#define HDB_API_H

#include "io.h"

/* As written in the phase's section, else its group's, else [global]. */
const char *api_text(const char *phase, const char *group);

/* What it chooses; refuses an API or an option that this engine does not have. */
struct io_choice api_parse(const char *text, const char *user);
struct io_choice api_choice(const char *phase, const char *group);

#endif
