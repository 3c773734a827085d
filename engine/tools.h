/* The workloads on their own: subcommands of the engine, and names that it answers to through a
   link. */
#ifndef HDB_TOOLS_H
#define HDB_TOOLS_H

/* Runs the tool that the command line names. False: it names none. *code is the exit code. */
#include <stdbool.h>
bool tools_run(int argc, char **argv, int *code);

/* Each in a file of its own; all ranks, MPI is running. Returns the exit code. */
int tool_ior(int argc, char **argv);
int tool_mdtest(int argc, char **argv);
int tool_stream(int argc, char **argv);
int tool_pfind(int argc, char **argv);
int tool_mdworkbench(int argc, char **argv);

#endif
