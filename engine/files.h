/* Directories and small files of the engine itself. Whatever is measured has its own calls
 * elsewhere. */
#ifndef HDB_FILES_H
#define HDB_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A directory, and the topmost level of it that was new; NULL where all was there before. */
struct made {
  char *path;
  char *first;
};

/* mkdir -p with mode 0700. Returns 0, or an errno with nothing new left. */
int make_directories(const char *path, struct made *made);

/* Removes the levels that were new, from the last one up, as far as they are empty. Returns 0 or an
 * errno. */
int unmake_directories(struct made *made);

/* Lets them stay. */
void keep_directories(struct made *made);

/* A name in a directory that is not hidden, to be freed; NULL where there is none. */
char *visible_name(const char *directory);

/* Reads a whole file. NULL with errno set where that fails; the text ends with a NUL, and EILSEQ is
 * for a file that has one before its end. */
char *read_file(const char *path);

/* Opens for writing, unbuffered by line, or ends the run. */
FILE *create_file(const char *path);
/* Ends the run where anything that was written to it is lost. */
void close_file(FILE *file, const char *path);

/* The decimal count in a file such as ior-easy.stonewall; -1 where there is none. */
int64_t read_count(const char *path);
void write_count(const char *path, uint64_t count);

/* The file system that holds a path, as reports name it: "31.0 GiB", "19.7%", "16.0 Mi", "2.9%". */
struct file_system {
  char size[32], used[32], inodes[32], used_inodes[32];
};
/* False: it cannot be asked. */
bool describe_file_system(const char *path, struct file_system *found);

/* "FS : 31.0 GiB   Used FS: ..." of the file system that holds path. */
void print_file_system(FILE *file, const char *path);

#endif
