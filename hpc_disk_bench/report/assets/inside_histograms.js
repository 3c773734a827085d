// The figure of a run's latencies: a histogram of each kind of operation, all on one logarithmic axis of time.
// [phase, operation, k, counts] are those of hpc_disk_bench/report/inside/latencies.py.
(function () {
  "use strict";
  const CLASSES = 16;  // in a power of two; class k begins at 2^(k / 16) ns
  const MARKS = ["p50", "p95", "p99", "p99.9", "max"];
  const FEW = 4;  // panels that have room to be tall
  const TALL = 150, LOW = 64, HEAD = 36, FOOT = 24, GAP = 46, TOP = 20;  // pixels
  const NARROW = 640, LETTER = 7;
  const { escaped, label, number, onto } = window.HDB.insideLines;

  const whole = (count) => window.HDB.statistics.whole(count);
  const start = (k) => 2 ** (k / CLASSES) / 1e6;  // ms
  const middle = (k) => start(k + 0.5);

  // "12 µs", of ms.
  function time(ms, shown = number) {
    const [unit, scale] = ms < 1e-3 ? ["ns", 1e6] : ms < 1 ? ["µs", 1e3] : ms < 1e3 ? ["ms", 1] : ["s", 1e-3];
    return `${shown(ms * scale)} ${unit}`;
  }
  const rate = (value) => (value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : `${value}`);

  // Powers of ten in [low, high], given as logarithms, at most `most`.
  function decades(low, high, most) {
    const step = Math.max(1, Math.ceil((Math.floor(high) - Math.ceil(low) + 1) / most));
    const found = [];
    for (let power = Math.ceil(low / step) * step; power <= high; power += step) found.push(Number(`1e${power}`));
    return found;
  }

  // One run's histogram of an operation: a value a class, with an empty class before and after.
  function steps(run, name, operation) {
    const found = run.histograms.find(([phase, kind]) => phase === name && kind === operation);
    const phase = run.phases.find((one) => one.name === name);
    if (!found || !phase || !(phase.took > 0)) return null;
    const [, , first, counts] = found;
    const total = counts.reduce((sum, count) => sum + count, 0);
    let before = 0;
    const words = counts.map((count, k) => {
      before += count;
      return `${time(start(first + k))} to ${time(start(first + k + 1))}: ${whole(count)} operations (${number((100 * count) / total)} %),`
        + ` ${number(count / phase.took)} a second<br>${number((100 * before) / total)} % were done within ${time(start(first + k + 1))}`;
    });
    return {
      x: [first - 1, ...counts.map((_, k) => first + k), first + counts.length].map(middle),
      y: [0, ...counts.map((count) => count / phase.took), 0], words: ["", ...words, ""],
      total, least: 1 / phase.took,
    };
  }

  // The names of percentiles above a panel `broad` pixels wide, [{at, text}]: those that would overlap share a place.
  function named(marks, place, broad) {
    const groups = [];
    const half = ({ names }) => (LETTER * names.join(" ").length) / 2;
    const middleOf = (one) => Math.min(Math.max((one.first + one.last) / 2, half(one)), Math.max(half(one), broad - half(one)));
    for (const { name, x } of marks) {
      let one = { names: [name], first: place(x), last: place(x) };
      while (groups.length && middleOf(groups.at(-1)) + half(groups.at(-1)) > middleOf(one) - half(one)) {
        const before = groups.pop();
        one = { names: [...before.names, ...one.names], first: before.first, last: one.last };
      }
      groups.push(one);
    }
    return groups.map((one) => ({ at: middleOf(one), text: one.names.join(" ") }));
  }

  // The histograms of a run, or of its phase `only`, other runs' dotted over them: {data, layout, alt}.
  function histograms(run, { only = null, others = [], width, colours }) {
    const panels = run.latencies.filter(([name]) => only === null || run.phases[only].name === name)
      .map(([name, operation, , ...values]) => ({
        name, operation, own: steps(run, name, operation),
        marks: values.map((value, k) => ({ name: MARKS[k], x: value * 1e3 })).filter(({ x }) => x > 0),
        theirs: others.map((other) => [other, steps(other, name, operation)]).filter(([, one]) => one),
      })).filter(({ own }) => own);
    const narrow = width < NARROW, columns = narrow || panels.length < 2 ? 1 : 2;
    const rows = Math.ceil(panels.length / columns), tall = rows <= FEW ? TALL : LOW;
    const body = rows * (HEAD + tall + FOOT), left = 44, right = 12;
    const all = panels.flatMap(({ own, theirs }) => [own, ...theirs.map(([, one]) => one)]);
    const range = [Math.min(...all.map(({ x }) => x[0])), Math.max(...all.map(({ x }) => x.at(-1)))].map(Math.log10);
    const broad = (width - left - right - (columns - 1) * GAP) / columns;
    const times = decades(...range, Math.floor(broad / 52));
    const layout = { height: body + TOP + 12, margin: { l: left, r: right, t: TOP, b: 12 }, shapes: [], annotations: [], hovermode: "closest", hoverdistance: 40, dragmode: "zoom" };
    const data = panels.flatMap((panel, k) => {
      const suffix = k ? String(k + 1) : "", x = `x${suffix}`, y = `y${suffix}`;
      const high = 1 - (Math.floor(k / columns) * (HEAD + tall + FOOT) + HEAD) / body;
      const from = ((k % columns) * (broad + GAP)) / (width - left - right);
      const shown = [panel.own, ...panel.theirs.map(([, one]) => one)];
      const floor = Math.min(...shown.map(({ least }) => least)) / 1.5;
      const ends = [floor, 1.4 * Math.max(...shown.flatMap((one) => one.y))].map(Math.log10);
      layout[`xaxis${suffix}`] = {
        type: "log", range, ...(k ? { matches: "x" } : {}), domain: [from, Math.min(1, from + broad / (width - left - right))], anchor: y,
        tickvals: times, ticktext: times.map((ms) => time(ms, Math.round)), minallowed: range[0], maxallowed: range[1],
      };
      const rates = decades(...ends, tall === TALL ? 5 : 3);
      layout[`yaxis${suffix}`] = {
        type: "log", range: ends, domain: [Math.max(0, high - tall / body), high], anchor: x, fixedrange: true,
        tickvals: rates, ticktext: rates.map(rate), automargin: false,
      };
      const above = { xref: x, yref: `${y} domain`, y: 1, yanchor: "bottom", showarrow: false };
      layout.annotations.push({
        ...above, name: "panel", xref: `${x} domain`, x: 0, xanchor: "left", yshift: 14, font: { size: 12, color: colours.ink },
        text: `${label(panel.name, 26)} · ${label(panel.operation, 12)}, ${whole(panel.own.total)} operations`,
      });
      for (const { x: at } of panel.marks) {
        layout.shapes.push({ type: "line", xref: x, yref: `${y} domain`, x0: at, x1: at, y0: 0, y1: 1, line: { color: colours.ink, width: 1, dash: "dot" } });
      }
      const pixels = (at) => (broad * (Math.log10(at) - range[0])) / (range[1] - range[0]);
      for (const { at, text } of named(panel.marks, pixels, broad)) {
        layout.annotations.push({ ...above, name: "mark", xref: `${x} domain`, x: at / broad, xanchor: "center", text, font: { size: 11, color: colours.muted } });
      }
      const clip = onto(floor / 10);  // below the axis: an empty class is no line on its floor
      const trace = { type: "scatter", mode: "lines", xaxis: x, yaxis: y };
      const line = (of, style, meta, who) => ({
        ...trace, x: of.x, y: of.y.map(clip), customdata: of.words.map((words) => (words ? who + words : "")), meta,
        line: { shape: "hvh", ...style }, hovertemplate: "%{customdata}<extra></extra>",
      });
      return [
        { ...trace, x: panel.own.x, y: panel.own.y.map(clip), meta: "area", hoverinfo: "skip", fill: "toself", fillcolor: run.colour, opacity: 0.3,
          line: { shape: "hvh", width: 0 } },
        ...panel.theirs.map(([other, one]) => line(one, { color: colours.muted, width: 1, dash: "dot" }, "other run",
          `${escaped(other.started)}${other.counts ? "" : ` (${escaped(other.state)})`}<br>`)),
        line(panel.own, { color: run.colour, width: 1.4 }, "histogram", ""),
      ];
    });
    const said = panels.map(({ name, operation, marks }) => `${label(name)} ${label(operation)}: half within ${time(marks[0]?.x ?? NaN)}`);
    const alt = `${panels.length} ${panels.length > 1 ? "histograms" : "histogram"} of latencies on one logarithmic axis. ${said.join("; ")}.`
      + " The table below has the percentiles.";
    return { data, layout, alt };
  }

  window.HDB.insideFigures.histograms = histograms;
})();
