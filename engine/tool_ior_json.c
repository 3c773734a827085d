/* ior's results as one JSON document. */
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common.h"
#include "files.h"
#include "ior_report.h"
#include "tool_ior.h"
#include "tool_memory.h"

#define MIB ((double)(1 << 20))

/* Writes pairs with commas between them, one a line. */
struct json {
  FILE *out;
  int indent;
  bool first;
};

/* Bytes of the character of UTF-8 that begins here; 0: there is none, as in names from before it.
 */
static int utf8_length(const unsigned char *c) {
  if (*c < 0x80) return 1;
  int length = *c >= 0xc2 && *c < 0xe0 ? 2 : *c >= 0xe0 && *c < 0xf0 ? 3 : *c >= 0xf0 ? 4 : 0;
  /* The second byte rules out what fewer bytes can say, surrogates, and what is beyond 0x10ffff. */
  unsigned char least = *c == 0xe0 ? 0xa0 : *c == 0xf0 ? 0x90 : 0x80;
  unsigned char most = *c == 0xed ? 0x9f : *c == 0xf4 ? 0x8f : 0xbf;
  if (!length || *c > 0xf4 || c[1] < least || c[1] > most) return 0;
  for (int i = 2; i < length; i++)
    if (c[i] >> 6 != 2) return 0;
  return length;
}

static void print_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c;) {
    int length = utf8_length(c);
    if (!length)
      fputs("\\ufffd", out);
    else if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if (*c < 0x20)
      fprintf(out, "\\u%04x", *c);
    else
      fwrite(c, 1, (size_t)length, out);
    c += length ? length : 1;
  }
  fputc('"', out);
}

static void next(struct json *json, const char *key) {
  fprintf(json->out, "%s\n%*s", json->first ? "" : ", ", json->indent, "");
  json->first = false;
  if (!key) return;
  print_string(json->out, key);
  fputs(": ", json->out);
}

static void open_group(struct json *json, const char *key, char bracket) {
  next(json, key);
  fputc(bracket, json->out);
  json->indent += 2;
  json->first = true;
}

static void close_group(struct json *json, char bracket) {
  json->indent -= 2;
  fprintf(json->out, "\n%*s%c", json->indent, "", bracket);
  json->first = false;
}

static void put_text(struct json *json, const char *key, const char *value) {
  next(json, key);
  print_string(json->out, value);
}

static void put_count(struct json *json, const char *key, int64_t value) {
  next(json, key);
  fprintf(json->out, "%" PRId64, value);
}

static void put_real(struct json *json, const char *key, double value) {
  next(json, key);
  fprintf(json->out, "%.4f", value);
}

static void put_file_system(struct json *json, const struct ior_work *work) {
  struct file_system found;
  char *path = ior_path(work, 0), *copy = format_text("%s", work->file);
  put_text(json, "Path", path);
  if (describe_file_system(dirname(copy), &found)) {
    put_text(json, "Capacity", found.size);
    put_text(json, "Used Capacity", found.used);
    put_text(json, "Inodes", found.inodes);
    put_text(json, "Used Inodes", found.used_inodes);
  }
  free(copy);
  free(path);
}

static void put_parameters(struct json *json, const struct ior_session *session,
                           const struct utsname *machine) {
  static const char packets[] = {'t', 'o', 'i', 'r'};
  const struct ior_work *work = &session->work;
  char *platform = format_text("%s(%s)", machine->nodename, machine->sysname);
  char packet[2] = {packets[work->packet], '\0'};
  open_group(json, "Parameters", '{');
  put_count(json, "testID", 0);
  put_count(json, "refnum", session->reference);
  put_text(json, "api", io_interface_of(work->io.kind)->name);
  put_text(json, "platform", platform);
  put_text(json, "testFileName", work->file);
  put_count(json, "deadlineForStonewall", work->stonewall);
  put_count(json, "stoneWallingWearOut", !work->no_wear_out);
  put_count(json, "maxTimeDuration", session->minutes);
  put_count(json, "outlierThreshold", 0); /* not supported, as are the other zeros */
  put_text(json, "options", "(null)");
  put_count(json, "dryRun", 0);
  put_count(json, "nodes", world.nodes);
  put_count(json, "memoryPerTask", 0);
  put_count(json, "memoryPerNode", (int64_t)memory_amount(session->memory, "ior"));
  put_count(json, "tasksPerNode", world.node0_ranks);
  put_count(json, "repetitions", work->repetitions);
  put_count(json, "multiFile", session->multi_file);
  put_count(json, "interTestDelay", session->delay);
  put_count(json, "fsync", !work->no_sync);
  put_count(json, "fsyncperwrite", work->sync_each);
  put_count(json, "useExistingTestFile", work->existing);
  put_count(json, "uniqueDir", work->unique_directories);
  put_count(json, "singleXferAttempt", 0);
  put_count(json, "readFile", session->read);
  put_count(json, "writeFile", session->write);
  put_count(json, "filePerProc", work->file_per_process);
  put_count(json, "reorderTasks", session->task_order);
  put_count(json, "reorderTasksRandom", session->work.random_tasks);
  put_count(json, "reorderTasksRandomSeed", session->work.task_seed);
  put_count(json, "randomOffset", work->random ? 2 : work->shuffle);
  put_count(json, "checkWrite", session->check);
  put_count(json, "checkRead", session->check_read);
  put_count(json, "dataPacketType", work->packet);
  put_count(json, "keepFile", session->keep);
  put_count(json, "keepFileWithError", session->keep_with_error);
  put_count(json, "warningAsErrors", 0);
  put_count(json, "verbose", work->verbosity);
  put_text(json, "data packet type", packet);
  put_count(json, "setTimeStampSignature/incompressibleSeed", work->seed);
  put_count(json, "collective", work->io.collective);
  put_count(json, "useO_DIRECT", work->io.direct);
  put_count(json, "segmentCount", (int64_t)work->segments);
  put_count(json, "transferSize", (int64_t)work->transfer);
  put_count(json, "blockSize", (int64_t)work->block);
  close_group(json, '}');
  free(platform);
}

static void put_options(struct json *json, const struct ior_work *work) {
  const struct io_interface *interface = io_interface_of(work->io.kind);
  open_group(json, "Options", '{');
  put_text(json, "api", interface->name);
  put_text(json, "apiVersion", interface->version);
  put_text(json, "test filename", work->file);
  put_text(json, "access", work->file_per_process ? "file-per-process" : "single-shared-file");
  put_text(json, "type", work->io.collective ? "collective" : "independent");
  put_count(json, "segments", (int64_t)work->segments);
  put_text(json, "ordering in a file", work->random || work->shuffle ? "random" : "sequential");
  put_text(json, "ordering inter file", ior_task_order(work));
  if (work->shift) put_count(json, "task offset", work->shift);
  if (work->random_tasks) put_count(json, "task order seed", work->task_seed);
  put_count(json, "nodes", world.nodes);
  put_count(json, "tasks", world.size);
  put_count(json, "clients per node", world.node0_ranks);
  put_text(json, "memoryBuffer", "CPU");
  put_text(json, "dataAccess", "CPU");
  put_text(json, "GPUDirect", "0");
  put_count(json, "repetitions", work->repetitions);
  put_text(json, "xfersize", human_size((double)work->transfer));
  put_text(json, "blocksize", human_size((double)work->block));
  put_text(json, "aggregate filesize", human_size((double)ior_planned_bytes(work)));
  if (work->stonewall) put_count(json, "stonewallingTime", work->stonewall);
  if (work->stonewall) put_count(json, "stoneWallingWearOut", !work->no_wear_out);
  close_group(json, '}');
}

static void put_result(struct json *json, const struct ior_work *work,
                       const struct ior_record *record) {
  const struct ior_result *result = &record->result;
  open_group(json, NULL, '{');
  put_text(json, "access", record->write ? "write" : "read");
  put_real(json, "bwMiB", result->bandwidth / MIB);
  put_real(json, "blockKiB", (double)work->block / 1024);
  put_real(json, "xferKiB", (double)work->transfer / 1024);
  put_real(json, "iops", ior_rate(result));
  put_real(json, "latency", result->latency);
  put_real(json, "openTime", result->open);
  put_real(json, "wrRdTime", result->transfer);
  put_real(json, "closeTime", result->close);
  put_real(json, "totalTime", result->time);
  if (record->verified) put_count(json, "errors", (int64_t)result->errors);
  close_group(json, '}');
}

static void put_test(struct json *json, const struct ior_session *session,
                     const struct utsname *machine) {
  open_group(json, NULL, '{');
  put_count(json, "TestID", 0);
  put_text(json, "StartTime", session->began);
  put_file_system(json, &session->work);
  put_parameters(json, session, machine);
  put_options(json, &session->work);
  open_group(json, "Results", '[');
  for (size_t i = 0; i < session->count; i++)
    put_result(json, &session->work, &session->records[i]);
  close_group(json, ']');
  close_group(json, '}');
}

static void put_summary(struct json *json, const struct ior_session *session, bool write) {
  const struct ior_work *work = &session->work;
  struct ior_summary summary;
  if (!ior_summary_of(session, write, &summary)) return;
  const struct statistics *bandwidth = &summary.bandwidth;
  double transfer = (double)work->transfer;
  open_group(json, NULL, '{');
  put_text(json, "operation", write ? "write" : "read");
  put_text(json, "API", io_interface_of(work->io.kind)->name);
  put_count(json, "TestID", 0);
  put_count(json, "ReferenceNumber", session->reference);
  put_count(json, "segmentCount", (int64_t)work->segments);
  put_count(json, "blockSize", (int64_t)work->block);
  put_count(json, "transferSize", (int64_t)work->transfer);
  put_count(json, "numTasks", world.size);
  put_count(json, "tasksPerNode", world.node0_ranks);
  put_count(json, "repetitions", work->repetitions);
  put_count(json, "filePerProc", work->file_per_process);
  put_count(json, "reorderTasks", session->task_order);
  put_count(json, "taskPerNodeOffset", session->task_offset);
  put_count(json, "reorderTasksRandom", session->work.random_tasks);
  put_count(json, "reorderTasksRandomSeed", session->work.task_seed);
  put_real(json, "bwMaxMIB", bandwidth->max / MIB);
  put_real(json, "bwMinMIB", bandwidth->min / MIB);
  put_real(json, "bwMeanMIB", bandwidth->mean / MIB);
  put_real(json, "bwStdMIB", bandwidth->deviation / MIB);
  put_real(json, "OPsMax", bandwidth->max / transfer);
  put_real(json, "OPsMin", bandwidth->min / transfer);
  put_real(json, "OPsMean", bandwidth->mean / transfer);
  put_real(json, "OPsSD", bandwidth->deviation / transfer);
  put_real(json, "MeanTime", summary.time);
  if (summary.stonewall_time > 0) {
    put_real(json, "StoneWallTime", summary.stonewall_time);
    put_real(json, "StoneWallbwMeanMIB", summary.stonewall_rate / MIB);
  }
  put_real(json, "xsizeMiB", (double)ior_planned_bytes(work) / MIB);
  if (summary.verified) put_count(json, "errors", (int64_t)summary.errors);
  close_group(json, '}');
}

void ior_tell_json(const struct ior_session *session) {
  struct json json = {.out = session->out, .indent = 2, .first = true};
  struct utsname machine;
  uname(&machine);
  char *name = format_text("%s %s", machine.sysname, machine.nodename);
  fputc('{', session->out);
  put_text(&json, "Version", ENGINE_VERSION);
  put_text(&json, "Began", session->began);
  put_text(&json, "Command line", session->work.command);
  put_text(&json, "Machine", name);
  open_group(&json, "tests", '[');
  put_test(&json, session, &machine);
  close_group(&json, ']');
  open_group(&json, "summary", '[');
  put_summary(&json, session, true);
  put_summary(&json, session, false);
  close_group(&json, ']');
  put_text(&json, "Finished", ior_date());
  fputs("\n}\n", session->out);
  free(name);
}
