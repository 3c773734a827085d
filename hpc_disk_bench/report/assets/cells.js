// Cells of tables that are computed of several runs, for the runs that a filter leaves. `how` is what
// a column's heading says in data-derive; report/tables*.py give the same of all runs.
(function () {
  "use strict";
  const S = window.HDB.statistics;
  const R = () => window.HDB.runs;

  const valuesOf = (runs, column) => S.finite(runs.map((run) => R().value(column, run)));
  const plain = (value, shown) => ({ value, shown: shown ?? S.number(value) });
  const whole = (value) => plain(value, Number.isFinite(value) ? S.whole(value) : "");
  const word = (text) => ({ value: text, shown: text });

  // Medians of `column`, best first: [[name, median, values], ...], of what the field names.
  function ranked(runs, field, column) {
    const groups = new Map();
    for (const run of runs) {
      const name = R().text(field, run), value = R().value(column, run);
      if (!groups.has(name)) groups.set(name, []);
      if (value > 0) groups.get(name).push(value);
    }
    return [...groups].filter(([, values]) => values.length)
      .map(([name, values]) => [name, S.median(values), values]).sort((a, b) => b[1] - a[1]);
  }

  const repeats = (row, of) => valuesOf(R().all.filter((run) => R().isShown(run) && R().counts(run)
    && R().text("target", run) === R().text("target", row.runs[0])), of);

  const first = (row) => ranked(row.counting, "target", row.of);
  const storages = (row) => ranked(row.used, "storage", row.of);
  const lead = (found) => (found.length > 1 ? S.ratio(found[0][2], found[1][2]) : { n: 0, median: NaN });

  // Each takes a row {runs, used, counting, of} and the heading's words, and gives {value, shown}.
  const WAYS = {
    "runs": (row) => whole(row.runs.length),
    "runs used": (row) => whole(row.used.length),
    "runs that count": (row) => whole(row.counting.length),
    "nodes used": (row) => whole(new Set(row.used.map((run) => R().text("node", run))).size),
    "distinct": (row, { of }) => whole(new Set(row.runs.map((run) => R().text(of, run))).size),
    "valid": (row) => (row.counting.length ? { value: "valid", badge: ["good", "✓ valid"] }
      : { value: "not valid", badge: ["bad", "✗ not valid"] }),
    "spread": (row, { of }) => {
      const spread = S.spread(valuesOf(row.used, of));
      return plain(spread.median, S.interval(spread));
    },
    "percent": (row, { of }) => {
      const median = S.median(valuesOf(row.used, of));
      return plain(median, S.percent(median / 100));
    },
    "verdict": (row, { of, steps }) => {
      const medians = S.finite(of.map((one) => S.median(valuesOf(row.used, one))));
      const best = Math.max(...medians);
      const step = steps.find(([least]) => best >= least);
      return word(row.counting.length && step ? step[1] : "no run counts: not judged");
    },
    "values": (row) => whole(valuesOf(row.counting, row.of).length),
    "quantile": (row, { share }) => plain(S.quantile(valuesOf(row.counting, row.of), share)),
    "range": (row) => {
      const values = valuesOf(row.counting, row.of);
      const ratio = Math.max(...values) / Math.min(...values);
      return plain(ratio, S.factor(ratio));
    },
    "rank": (row, { of }) => {
      const own = row.counting.length ? R().value(of, row.runs[0]) : NaN;
      const better = R().all.filter((run) => R().isShown(run) && R().counts(run)
        && R().value(of, run) > own);
      return whole(Number.isFinite(own) ? better.length + 1 : NaN);
    },
    "repeats": (row, { of }) => whole(repeats(row, of).length),
    "median of repeats": (row, { of }) => plain(S.median(repeats(row, of))),
    "spread of repeats": (row, { of }) => {
      const spread = S.spread(repeats(row, of));
      return word(S.decidable(spread) ? `${S.number(spread.low)} to ${S.number(spread.high)}`
        : spread.n ? "too few" : "none count");
    },
    "first": (row) => word(first(row)[0]?.[0] ?? ""),
    "first median": (row) => plain(first(row)[0]?.[1] ?? NaN),
    "first runs": (row) => {
      const best = first(row)[0]?.[0];
      return whole(row.counting.filter((run) => R().text("target", run) === best).length);
    },
    "second": (row) => word(first(row)[1]?.[0] ?? ""),
    "second median": (row) => plain(first(row)[1]?.[1] ?? NaN),
    "lead": (row) => {
      const [best, next] = first(row);
      const ratio = next ? best[1] / next[1] : NaN;
      return plain(ratio, S.factor(ratio));
    },
    "best storage": (row, { of }) => {
      const [best] = ranked(row.counting, "storage", of);
      return word(best ? `${best[0]} (${S.number(best[1])})` : "");
    },
    "use first": (row) => word(storages(row)[0]?.[0] ?? ""),
    "use first spread": (row) => {
      const [best] = storages(row);
      const spread = S.spread(best?.[2] ?? []);
      return plain(spread.median, S.interval(spread));
    },
    "use second": (row) => word(storages(row)[1]?.[0] ?? ""),
    "use lead": (row) => {
      const ratio = lead(storages(row));
      return plain(ratio.median, S.decidable(ratio)
        ? `${S.factor(ratio.median)} [${S.number(ratio.low, 2)}${S.DASH}${S.number(ratio.high, 2)}]`
        : S.factor(ratio.median));
    },
    "use verdict": (row, { words }) => {
      const found = storages(row), ratio = lead(found);
      if (!row.counting.length) return word(found.length ? words.invalid : words.none);
      if (found.length < 2) return word(found.length ? words.alone : words.none);
      const two = found.slice(0, 2).map(([name]) => name);
      const compared = row.used.filter((run) => two.includes(R().text("storage", run)));
      if (new Set(compared.map((run) => R().text("engine", run))).size > 1) return word(words.engines);
      if (!S.decidable(ratio)) return word(words.few);
      return word(ratio.low > 1 ? words.clear : words.noise);
    },
  };

  // The runs behind a table row that are shown; all of them where the row says so.
  function behind(tr) {
    const given = tr.dataset.runs;
    const runs = given === "*" ? R().all : given.split(" ").map(Number);
    return runs.filter(R().isShown);
  }

  window.HDB.cells = {
    behind,
    computed(tr, runs, how, used) {
      const counting = runs.filter(R().counts);
      const best = used === "best" && !counting.length ? runs : counting;
      return WAYS[how.how]({ runs, counting, used: best, of: tr.dataset.of }, how);
    },
  };
})();
