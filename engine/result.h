/* The result files of a run, written by rank 0 in upstream's layout, each line as it is known. */
#ifndef HDB_RESULT_H
#define HDB_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include "record.h"

void result_open(const char *directory);
void result_close(void);

/* result.txt */
void result_section(const char *name);
void result_pair(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_comment(const char *format, ...) __attribute__((format(printf, 1, 2)));
void result_date(const char *key); /* key = local time; a comment "; KEY time" for START and END */
void result_blank_line(void);
/* latency-<operation>, at record_shares. */
void result_latency(const char *operation, const double seconds[RECORD_SHARES]);

/* result_summary.txt and standard output */
void summary_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Why something is invalid: a comment in result.txt and a line on standard output. */
void result_invalid(const char *what, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
