// Two groups of runs, chosen by the reader: what else differs between them, then measure by measure
// the ratio and whether it is more than noise. The rules are those of hpc_disk_bench/comparison.
(function () {
  "use strict";
  const BY = [
    ["storage", "Storage"], ["node", "Node"], ["target", "Node and storage"], ["cluster", "Cluster"],
    ["device", "Device"], ["engine", "Engine"], ["date", "Before and after a date"],
  ];
  const SIGNS = { better: "▲", worse: "▼", noise: "≈", "not decidable": "?" };
  let place, by, sides, date, result;

  const S = () => window.HDB.statistics;
  const R = () => window.HDB.runs;
  const make = (...all) => window.HDB.element(...all);

  function choices(field) {
    const { values, of } = R().store.names[field];
    const counted = new Set(R().all.filter(R().counts).map((run) => of[run]));
    return values.filter((_, k) => counted.has(k))
      .toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  }

  const usable = ([field]) => (field === "date"
    ? new Set(R().store.day.filter(Boolean)).size > 1 : choices(field).length > 1);

  function runsOf(side) {
    const shown = R().all.filter((run) => R().isShown(run) && R().counts(run));
    if (by.value === "date") {
      const dated = shown.filter((run) => R().store.day[run] && date.value);
      return dated.filter((run) => (R().store.day[run] < date.value) === (side === 0));
    }
    return shown.filter((run) => R().text(by.value, run) === sides[side].value);
  }

  function values(field, runs) {
    const counts = new Map();
    for (const run of runs) {
      const value = field.values[field.of[run]];
      counts.set(value, (counts.get(value) || 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  // What differs between the groups: [[title, kind, values of A, values of B], ...].
  function differences(a, b) {
    const found = [];
    for (const [title, kind, field] of R().store.fields) {
      const [left, right] = [values(field, a), values(field, b)];
      const same = left.length === right.length
        && left.every(([value]) => right.some(([other]) => other === value));
      if (!same) found.push([title, kind, left, right]);
    }
    return found;
  }

  function compare(a, b) {
    const { finite, spread, ratio, verdict } = S();
    const of = (runs, column) => finite(runs.map((run) => R().value(column, run)));
    return R().store.measures.map(([name, column, unit]) => {
      const [left, right] = [of(a, column), of(b, column)];
      const change = ratio(right, left);
      return { name, unit, a: spread(left), b: spread(right), ratio: change, verdict: verdict(change) };
    }).filter((one) => one.a.n && one.b.n);
  }

  const table = (...all) => window.HDB.tableInto(result, ...all);

  const short = (value) => (value.length > 40 ? `${value.slice(0, 39)}…` : value);
  const listed = (counts) => counts.slice(0, 6)
    .map(([value, n]) => `${short(value) || "(unknown)"} (${n})`).join(", ")
    + (counts.length > 6 ? ` and ${counts.length - 6} more` : "");

  function show() {
    const [a, b] = [runsOf(0), runsOf(1)];
    result.replaceChildren();
    const { count, number, interval, factor, decidable, DASH } = S();
    const say = (text, className = "") => result.append(make("p", { className }, text));
    say(`A: ${count(a.length, "run")} that count. B: ${count(b.length, "run")} that count.`, "hdb-sizes");
    if (!a.length || !b.length) {
      say("There is nothing to compare: choose two groups that both have a run that counts.");
      return;
    }
    const found = differences(a, b).filter(([title]) => title.toLowerCase() !== by.value);
    const serious = found.filter(([, kind]) => kind === "engine" || kind === "configuration");
    say(serious.length
      ? `Engine or configuration differ (${serious.map(([title]) => title).join(", ")}): a ratio may be theirs.`
      : "Engine and configuration are the same.", serious.length ? "hdb-doubtful" : "");
    if (found.length) {
      table("group-differences", "What differs between the groups",
        [["what differs"], ["of"], ["A (runs)"], ["B (runs)"]],
        found.map(([title, kind, left, right]) =>
          [title, kind, { shown: listed(left), long: true }, { shown: listed(right), long: true }]));
    }
    const kinds = { better: "good", worse: "bad", noise: "", "not decidable": "doubt" };
    table("group-comparison", "Measures of the two groups",
      [["measure"], ["median A", true], ["n A", true], ["median B", true], ["n B", true],
        ["B / A", true], ["95 % interval", true], ["B is"]],
      compare(a, b).map((one) => [
        one.unit ? `${one.name}, ${one.unit}` : one.name, { shown: interval(one.a), value: one.a.median }, `${one.a.n}`,
        { shown: interval(one.b), value: one.b.median }, `${one.b.n}`,
        { shown: factor(one.ratio.median), value: one.ratio.median },
        { shown: decidable(one.ratio) ? `${number(one.ratio.low, 3)}${DASH}${number(one.ratio.high, 3)}` : DASH,
          value: one.ratio.low },
        { shown: one.verdict === "not decidable" ? `? n = ${one.ratio.n}: not decidable`
          : `${SIGNS[one.verdict]} ${one.verdict}`, value: one.verdict, badge: kinds[one.verdict] },
      ]));
  }

  function select(label, options) {
    const made = make("select", { className: "hdb-select" });
    made.setAttribute("aria-label", label.length > 1 ? label : `Group ${label}`);
    for (const [value, title] of options) made.append(make("option", { value }, title));
    return [make("label", { className: "hdb-choice" }, `${label} `, made), made];
  }

  function fill() {
    const dated = by.value === "date";
    date.closest("label").hidden = !dated;
    sides.forEach((side, k) => {
      side.closest("label").hidden = dated;
      if (dated) return;
      const options = choices(by.value);
      side.replaceChildren(...options.map((value) => make("option", { value }, value || "(none)")));
      side.selectedIndex = Math.min(k, options.length - 1);
    });
    if (dated) {
      const days = [...new Set(R().store.day.filter(Boolean))].sort();
      date.value = days[Math.floor(days.length / 2)];
    }
    show();
  }

  document.addEventListener("DOMContentLoaded", () => {
    place = document.getElementById("hdb-groups");
    if (!place || !R()) return;
    const ways = BY.filter(usable);
    if (!ways.length) {
      place.append(make("p", {}, "All runs that count are of one node and storage, on one day."));
      return;
    }
    const [byLabel, bySelect] = select("Compare by", ways);
    const [aLabel, aSelect] = select("A", []);
    const [bLabel, bSelect] = select("B", []);
    date = make("input", { type: "date", className: "hdb-select" });
    by = bySelect;
    sides = [aSelect, bSelect];
    result = make("div", { className: "hdb-groups" });
    result.setAttribute("aria-live", "polite");
    const dateLabel = make("label", { className: "hdb-choice" }, "A before, B from ", date);
    place.append(make("div", { className: "hdb-tools" }, byLabel, aLabel, bLabel, dateLabel), result);
    by.addEventListener("change", fill);
    for (const input of [...sides, date]) input.addEventListener("change", show);
    document.addEventListener("hdb-filter", show);
    // The first figure comes before it.
    window.setTimeout(fill, 100);
  });

  window.HDB.groups = { compare, differences };
})();
