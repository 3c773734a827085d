/* Directories and small files of the engine itself. Whatever is measured has its own calls elsewhere. */
#ifndef HDB_FILES_H
#define HDB_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* mkdir -p with mode 0700. Says through *created whether the last level is new. Ends the run on failure. */
void make_directories(const char *path, bool *created);

/* Reads a whole file. NULL with errno set where that fails; the text ends with a NUL. */
char *read_file(const char *path);

/* Opens for writing, unbuffered by line, or ends the run. */
FILE *create_file(const char *path);

/* The decimal count in a file such as ior-easy.stonewall; -1 where there is none. */
int64_t read_count(const char *path);
void write_count(const char *path, uint64_t count);

/* "FS : 31.0 GiB   Used FS: ..." of the file system that holds path. */
void print_file_system(FILE *file, const char *path);

#endif
