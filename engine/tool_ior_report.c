/* ior's rows and summaries as text and as CSV. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common.h"
#include "files.h"
#include "ior_report.h"
#include "tool_ior.h"

#define MIB ((double)(1 << 20))

bool ior_summary_of(const struct ior_session *session, bool write, struct ior_summary *summary) {
  double *bandwidths = need_memory(malloc(sizeof(double) * (session->count + 1)));
  size_t count = 0, stonewalls = 0;
  *summary = (struct ior_summary){.time = 0};
  for (size_t i = 0; i < session->count; i++) {
    const struct ior_result *result = &session->records[i].result;
    if (session->records[i].write != write) continue;
    bandwidths[count++] = result->bandwidth;
    summary->verified |= session->records[i].verified;
    summary->errors += result->errors;
    summary->time += result->time;
    if (!(result->stonewall_time > 0)) continue;
    stonewalls++;
    summary->stonewall_time += result->stonewall_time;
    summary->stonewall_rate +=
        (double)result->stonewall_bytes / world.size / result->stonewall_time;
  }
  summary->bandwidth = statistics_of(bandwidths, count);
  free(bandwidths);
  if (count) summary->time /= (double)count;
  if (stonewalls) summary->stonewall_time /= (double)stonewalls;
  if (stonewalls) summary->stonewall_rate /= (double)stonewalls;
  return count > 0;
}

/* Upstream has no column for wrong data: there is one where data is compared. */
static bool has_errors(const struct ior_session *session) {
  return session->check || session->check_read;
}

void ior_tell_head(const struct ior_session *session) {
  if (session->format == IOR_CSV)
    fprintf(session->out,
            "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),"
            "numTasks,iter%s\n",
            has_errors(session) ? ",errors" : "");
  if (session->format != IOR_TEXT) return;
  ior_print_head(session->out, &session->work);
  ior_print_columns(session->out);
}

static void tell_csv(const struct ior_session *session, const struct ior_work *work,
                     const struct ior_record *record) {
  const struct ior_result *result = &record->result;
  double values[] = {result->bandwidth / MIB,
                     ior_rate(result),
                     result->latency,
                     (double)work->block / 1024,
                     (double)work->transfer / 1024,
                     result->open,
                     result->transfer,
                     result->close,
                     result->time};
  fputs(record->write ? "write" : "read", session->out);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    fprintf(session->out, ",%.4f", values[i]);
  fprintf(session->out, ",%d,%d", world.size, record->iteration);
  if (has_errors(session)) fputc(',', session->out);
  if (record->verified) fprintf(session->out, "%" PRIu64, result->errors);
  fputc('\n', session->out);
}

void ior_tell_pass(const struct ior_session *session, const struct ior_work *work,
                   const struct ior_record *record) {
  if (session->format == IOR_TEXT)
    ior_print_result(session->out, work, &record->result, record->iteration);
  if (session->format == IOR_CSV) tell_csv(session, work, record);
}

void ior_tell_errors(const struct ior_work *work, const struct ior_record *record) {
  if (!work->csv || !record->result.errors) return;
  FILE *file = fopen(work->csv, "a");
  if (!file) fail_call("open", work->csv, -1, errno);
  fprintf(file, "%s,errors,%" PRIu64 ",,,\n", record->write ? "write" : "read",
          record->result.errors);
  close_file(file, work->csv);
}

void ior_tell_removal(const struct ior_session *session, double seconds, int iteration) {
  if (session->format != IOR_TEXT || !session->work.verbosity) return;
  fputs("remove    -          -          -           -          -          -          -          "
        "-          ",
        session->out);
  ior_print_number(session->out, seconds);
  fprintf(session->out, "%-4d\n", iteration);
}

static void tell_best(const struct ior_session *session, bool write, const char *title) {
  struct ior_summary summary;
  if (!ior_summary_of(session, write, &summary)) return;
  fprintf(session->out, "%s %.2f MiB/sec (%.2f MB/sec)\n", title, summary.bandwidth.max / MIB,
          summary.bandwidth.max / 1e6);
}

static void tell_line(const struct ior_session *session, bool write) {
  const struct ior_work *work = &session->work;
  struct ior_summary summary;
  if (!ior_summary_of(session, write, &summary)) return;
  const struct statistics *bandwidth = &summary.bandwidth;
  FILE *out = session->out;
  fprintf(out, "%-9s", write ? "write" : "read");
  double units[] = {MIB, (double)work->transfer}; /* MiB/s, then operations a second */
  for (int i = 0; i < 2; i++)
    fprintf(out, " %10.2f %10.2f %10.2f %10.2f", bandwidth->max / units[i],
            bandwidth->min / units[i], bandwidth->mean / units[i], bandwidth->deviation / units[i]);
  fprintf(out, " %10.5f", summary.time);
  if (summary.stonewall_time > 0)
    fprintf(out, " %10.2f %13.2f", summary.stonewall_time, summary.stonewall_rate / MIB);
  else
    fprintf(out, " %10s %13s", "NA", "NA");
  fprintf(out, " %5d %6d %3d %4d %3d %5d %8d %9d %4d", 0, world.size, world.node0_ranks,
          work->repetitions, work->file_per_process, session->task_order, (int)session->task_offset,
          session->work.random_tasks, (int)session->work.task_seed);
  fprintf(out, " %6" PRIu64 " %8" PRIu64 " %8" PRIu64 " %9.1f %s %6" PRId64 "\n", work->segments,
          work->block, work->transfer, (double)ior_planned_bytes(work) / MIB,
          io_interface_of(work->io.kind)->name, session->reference);
}

static void tell_text(const struct ior_session *session) {
  if (session->work.verbosity) {
    tell_best(session, true, "Max Write:");
    tell_best(session, false, "Max Read: ");
  }
  fputs("\nSummary of all tests:\n"
        "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)"
        "     StdDev    Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord "
        "reordoff reordrand seed segcnt   blksiz    xsize aggs(MiB)   API RefNum\n",
        session->out);
  tell_line(session, true);
  tell_line(session, false);
  fprintf(session->out, "%-20s: %s\n", "Finished", ior_date());
}

void ior_tell_summary(const struct ior_session *session) {
  if (session->format == IOR_TEXT) tell_text(session);
  if (session->format == IOR_JSON) ior_tell_json(session);
}
