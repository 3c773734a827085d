#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "common.h"

static bool is_directory(const char *path) {
  struct stat status;
  return !stat(path, &status) && S_ISDIR(status.st_mode);
}

int make_directories(const char *path, struct made *made) {
  *made = (struct made){format_text("%s", path), NULL};
  for (char *end = made->path + 1;; end++) {
    if (*end && *end != '/') continue;
    char separator = *end;
    *end = '\0';
    int error = mkdir(made->path, 0700) ? errno : 0;
    if (!error && !made->first) made->first = format_text("%s", made->path);
    if (error && !is_directory(made->path)) {
      unmake_directories(made);
      return error == EEXIST ? ENOTDIR : error;
    }
    if (!separator) return 0;
    *end = separator;
  }
}

int unmake_directories(struct made *made) {
  int error = 0;
  while (made->first && strlen(made->path) >= strlen(made->first)) {
    if (rmdir(made->path) && errno != ENOENT && errno != ENOTDIR) {
      error = errno;
      break;
    }
    char *slash = strrchr(made->path, '/');
    if (!slash) break;
    *slash = '\0';
  }
  keep_directories(made);
  return error;
}

void keep_directories(struct made *made) {
  free(made->path);
  free(made->first);
  *made = (struct made){NULL, NULL};
}

char *visible_name(const char *directory) {
  DIR *open_directory = opendir(directory);
  char *name = NULL;
  for (struct dirent *entry; open_directory && !name && (entry = readdir(open_directory));)
    if (*entry->d_name != '.') name = format_text("%s", entry->d_name);
  if (open_directory) closedir(open_directory);
  return name;
}

char *read_file(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return NULL;
  struct text text = {0};
  char block[4096];
  size_t length;
  int error = 0;
  while (!error && (length = fread(block, 1, sizeof block - 1, file)) > 0) {
    block[length] = '\0';
    text_add(&text, "%s", block);
    if (strlen(block) < length) error = EILSEQ;
  }
  if (ferror(file)) error = errno;
  fclose(file);
  if (error) {
    free(text.data);
    errno = error;
    return NULL;
  }
  if (!text.data) text_add(&text, "%s", "");
  return text.data;
}

FILE *create_file(const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) fail_call("open", path, -1, errno);
  setvbuf(file, NULL, _IOLBF, 0);
  return file;
}

void close_file(FILE *file, const char *path) {
  bool lost = ferror(file);
  errno = 0;
  if (lost && fputc('\n', file) != EOF) fflush(file); /* why it failed was not kept: once more */
  int error = errno;
  if (fclose(file) && !error) error = errno;
  if (lost || error) fail_call("write", path, -1, error ? error : EIO);
}

int64_t read_count(const char *path) {
  char *text = read_file(path);
  if (!text) return -1;
  char *end;
  long long count = strtoll(text, &end, 10);
  bool good = end != text && count >= 0;
  free(text);
  return good ? count : -1;
}

void write_count(const char *path, uint64_t count) {
  FILE *file = create_file(path);
  fprintf(file, "%" PRIu64, count);
  close_file(file, path);
}

bool describe_file_system(const char *path, struct file_system *found) {
  struct statfs status;
  if (statfs(path, &status)) return false;
  double size = (double)status.f_blocks * (double)status.f_bsize;
  double free_bytes = (double)status.f_bfree * (double)status.f_bsize;
  double inodes = (double)status.f_files;
  bool large = size / GIB >= 1024;
  snprintf(found->size, sizeof found->size, "%.1f %s", size / GIB / (large ? 1024 : 1),
           large ? "TiB" : "GiB");
  snprintf(found->used, sizeof found->used, "%.1f%%", size > 0 ? 100 * (1 - free_bytes / size) : 0);
  snprintf(found->inodes, sizeof found->inodes, "%.1f Mi", inodes / (1 << 20));
  snprintf(found->used_inodes, sizeof found->used_inodes, "%.1f%%",
           inodes > 0 ? 100 * (1 - (double)status.f_ffree / inodes) : 0);
  return true;
}

void print_file_system(FILE *file, const char *path) {
  struct file_system found;
  if (!describe_file_system(path, &found)) return;
  fprintf(file, "%-20s: %s   Used FS: %s   Inodes: %s   Used Inodes: %s\n", "FS", found.size,
          found.used, found.inodes, found.used_inodes);
}
