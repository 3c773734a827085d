/* --verify: whether a result.txt is what a run with this configuration wrote. */
#ifndef HDB_VERIFY_H
#define HDB_VERIFY_H

/* Returns the exit code: 0 for the untouched result of a valid run, else 1. */
int verify_result(const char *path);

#endif
