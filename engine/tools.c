#include "tools.h"

#include <stdio.h>
#include <string.h>

#include "common.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} tools[] = {
    {"ior", tool_ior},     {"mdtest", tool_mdtest},           {"stream", tool_stream},
    {"pfind", tool_pfind}, {"mdworkbench", tool_mdworkbench}, {"md-workbench", tool_mdworkbench}};
#define TOOLS (sizeof tools / sizeof tools[0])

static int find_tool(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < TOOLS; i++)
    if (!strcmp(name, tools[i].name)) return (int)i;
  return -1;
}

bool tools_run(int argc, char **argv, int *code) {
  int tool = find_tool(argv[0]);
  if (tool < 0 && argc > 1 && !strchr(argv[1], '/') && (tool = find_tool(argv[1])) >= 0)
    argc--, argv++;
  if (tool < 0) return false;
  world_start(&argc, &argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  *code = tools[tool].run(argc, argv);
  fflush(stdout);
  world_end();
  return true;
}
