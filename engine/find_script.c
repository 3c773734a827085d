#include "find_script.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define MOST_WORDS 64
#define MOST_ARGUMENTS 16

static void read_lines(FILE *output, struct script_result *result) {
  char *line = NULL;
  size_t room = 0;
  uint64_t lines = 0;
  while (getline(&line, &room, output) >= 0) {
    line[strcspn(line, "\r\n")] = '\0';
    snprintf(result->last, sizeof result->last, "%s", line);
    lines++;
  }
  free(line);
  result->counted =
      sscanf(result->last, "MATCHED %" SCNu64 "/%" SCNu64, &result->found, &result->total) == 2;
  if (!result->counted) result->found = result->total = lines;
}

static void add_words(char **words, int *count, char *text) {
  for (char *rest, *word = strtok_r(text, " \t", &rest); word;
       word = strtok_r(NULL, " \t", &rest)) {
    if (*count == MOST_WORDS) fail("more than %d words in a find command", MOST_WORDS);
    words[(*count)++] = word;
  }
}

/* Starts the command with its output into a pipe. Returns the process; *output is the pipe's other
 * end. */
static pid_t start_process(const struct script_command *command, FILE **output) {
  char *with_shell[MOST_WORDS + MOST_ARGUMENTS + 3] = {"/bin/sh"}, **words = with_shell + 1;
  char *launcher = format_text("%s", command->launcher);
  char *options = format_text("%s", command->options);
  int count = 0, ends[2];
  add_words(words, &count, launcher);
  words[count++] = (char *)command->script;
  add_words(words, &count, options);
  for (int i = 0; command->arguments[i]; i++) words[count++] = (char *)command->arguments[i];
  words[count] = NULL;
  if (pipe(ends)) fail("pipe: %s", strerror(errno));

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t process;
  int error = posix_spawnp(&process, words[0], &actions, NULL, words, environ);
  if (error == ENOEXEC) /* a script without #!, which any shell would run all the same */
    error = posix_spawnp(&process, with_shell[0], &actions, NULL, with_shell, environ);
  if (error) fail("cannot start \"%s\": %s", words[0], strerror(error));
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  *output = fdopen(ends[0], "r");
  free(launcher);
  free(options);
  return process;
}

/* Ranks that spin in a barrier would take the processor from the script: they look every 10 ms. */
static void wait_for_all(void) {
  MPI_Request barrier;
  int everybody = 0;
  MPI_Ibarrier(world.comm, &barrier);
  while (MPI_Test(&barrier, &everybody, MPI_STATUS_IGNORE), !everybody)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

struct script_result script_run(const struct script_command *command) {
  struct script_result result = {0};
  if (world.rank == 0) {
    fflush(NULL);
    double began = now();
    FILE *output;
    pid_t process = start_process(command, &output);
    read_lines(output, &result);
    fclose(output);
    while (waitpid(process, &result.status, 0) < 0 && errno == EINTR) continue;
    result.time = now() - began;
  }
  wait_for_all();
  MPI_Bcast(&result, sizeof result, MPI_BYTE, 0, world.comm);
  return result;
}
