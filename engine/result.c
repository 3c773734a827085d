#include "result.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "common.h"
#include "files.h"

static FILE *result, *summary;
static const char *result_path, *summary_path;

void result_open(const char *directory) {
  if (world.rank != 0) return;
  result_path = format_text("%s/result.txt", directory);
  summary_path = format_text("%s/result_summary.txt", directory);
  result = create_file(result_path);
  summary = create_file(summary_path);
}

void result_close(void) {
  if (world.rank != 0) return;
  close_file(result, result_path);
  close_file(summary, summary_path);
}

/* A result that cannot be written is no result: say so at once, not after hours. */
static void flush(FILE *file, const char *path) {
  if (fflush(file) || ferror(file)) fail_call("write", path, -1, errno);
}

void result_section(const char *name) {
  if (world.rank != 0) return;
  fprintf(result, ftell(result) ? "\n[%s]\n" : "[%s]\n", name);
  flush(result, result_path);
}

void result_pair(const char *key, const char *format, ...) {
  if (world.rank != 0) return;
  va_list arguments;
  va_start(arguments, format);
  fprintf(result, "%-15s = ", key);
  vfprintf(result, format, arguments);
  fputc('\n', result);
  va_end(arguments);
  flush(result, result_path);
}

void result_comment(const char *format, ...) {
  if (world.rank != 0) return;
  va_list arguments;
  va_start(arguments, format);
  fputs("; ", result);
  vfprintf(result, format, arguments);
  fputc('\n', result);
  va_end(arguments);
  flush(result, result_path);
}

void result_date(const char *key) {
  if (world.rank != 0) return;
  char date[32];
  time_t seconds = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", localtime(&seconds));
  if (isupper((unsigned char)*key))
    result_comment("%s %s", key, date);
  else
    result_pair(key, "%s", date);
}

void result_blank_line(void) {
  if (world.rank != 0) return;
  fputc('\n', result);
  flush(result, result_path);
}

void result_latency(const char *operation, const double seconds[RECORD_SHARES]) {
  char *key = format_text("latency-%s", operation);
  result_pair(key, "p50 %.9f p95 %.9f p99 %.9f p99.9 %.9f max %.9f", seconds[0], seconds[1],
              seconds[2], seconds[3], seconds[4]);
  free(key);
}

void summary_line(const char *format, ...) {
  if (world.rank != 0) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(summary, format, arguments);
  fputc('\n', summary);
  va_end(arguments);
  flush(summary, summary_path);
  va_start(arguments, format);
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
  fflush(stdout);
}

void result_invalid(const char *what, const char *format, ...) {
  if (world.rank != 0) return;
  char reason[HDB_PATH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  result_comment("ERROR INVALID %s", reason);
  printf("ERROR INVALID (%s) %s\n", what, reason);
  fflush(stdout);
}
