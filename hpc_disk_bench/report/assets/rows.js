// What the kinds of derived figures share: runs behind points, groups, and rows laid out anew.
(function () {
  "use strict";
  const S = () => window.HDB.statistics;
  const R = () => window.HDB.runs;
  const runOf = (id) => parseInt(id, 10);
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  function grouped(items, key) {
    const groups = new Map();
    for (const item of items) {
      const name = key(item);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(item);
    }
    return groups;
  }

  // A trace with only its points `keep`: every list as long as its x is a list of the points.
  function picked(value, keep, size) {
    if (Array.isArray(value)) return value.length === size ? keep.map((k) => value[k]) : value;
    if (value && typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, picked(item, keep, size)]));
    }
    return value;
  }

  function shownPoints(trace) {
    const keep = [];
    (trace.ids || []).forEach((id, k) => { if (R().isShown(runOf(id))) keep.push(k); });
    return picked(trace, keep, trace.x.length);
  }

  const axis = (letter, k) => (k ? `${letter}${k + 1}` : letter);
  const axisKey = (name, k) => `${name}${k ? k + 1 : ""}`;

  // The same measures as panels.layout, for the rows `order` (old numbers, from top to bottom).
  function relayout(layout, grid, order, labels, height) {
    const bodyBefore = Math.max(1, grid.rows) * grid.row + grid.body;
    const body = Math.max(1, order.length) * grid.row + grid.body;
    const band = grid.band + body;
    layout.height = height + grid.lines * (body - bodyBefore);
    const inner = layout.height - layout.margin.t - layout.margin.b;
    const panels = [];
    for (let k = 0; layout[axisKey("yaxis", k)]; k += 1) {
      const top = 1 - (Math.floor(k / grid.columns) * band + grid.title) / inner;
      panels.push(top);
      Object.assign(layout[axisKey("yaxis", k)], {
        domain: [Math.max(0, top - body / inner), Math.min(1, top)],
        range: [-0.6, order.length - 0.4],
        tickvals: [...order.keys()],
        ticktext: labels.toReversed(),
      });
    }
    const titles = layout.annotations.filter((note) => note.name === "panel");
    titles.forEach((note, k) => { note.y = panels[k]; });
    layout.annotations = titles;
    if (!grid.above) return;
    const row = { name: "row", showarrow: false, x: 0, yshift: 14, xanchor: "left", font: { size: 12 } };
    panels.forEach((_, k) => order.forEach((_, place) => layout.annotations.push({
      ...row, text: labels[place], y: order.length - 1 - place,
      xref: `${axis("x", k)} domain`, yref: axis("y", k),
    })));
  }

  function hatch(trace, ys, xaxis) {
    const [low, high] = xaxis.type === "log" ? xaxis.range.map((one) => 10 ** one) : xaxis.range;
    trace.base = ys.map(() => low);
    trace.x = ys.map(() => high - low);
    trace.y = ys;
  }

  const usedOf = (runs) => {
    const counting = runs.filter(R().counts);
    return counting.length ? counting : runs;
  };
  const valuesOf = (runs, column) => S().finite(runs.map((run) => R().value(column, run)));
  const shownRuns = () => R().all.filter(R().isShown);

  window.HDB.rows = {
    S, R, runOf, escaped, grouped, picked, shownPoints, axis, axisKey, relayout, hatch, usedOf,
    valuesOf, shownRuns,
  };
})();
