// Figures of the runs that a filter leaves. Each kind of figure that report/*.py draws of all runs
// has its counterpart here: points are picked, what is computed from them is computed again.
// Axes stay as they are, so that what is left can be compared with what was there.
(function () {
  "use strict";
  const {
    S, R, runOf, escaped, grouped, picked, shownPoints, axis, axisKey, relayout, hatch, usedOf,
    valuesOf, shownRuns,
  } = window.HDB.rows;

  function spreadText(spread) {
    const { number, decidable } = S();
    const said = `median ${number(spread.median)} of ${spread.n} runs`;
    return decidable(spread) ? `${said}<br>95 %: ${number(spread.low)} to ${number(spread.high)}`
      : `${said}: too few for an interval`;
  }

  const or0 = (value) => (Number.isNaN(value) ? 0 : value);

  function middles(trace, rows) {
    const found = rows.filter((row) => row.values.length > 1)
      .map((row) => ({ ...row, spread: S().spread(row.values) }));
    trace.x = found.map((row) => row.spread.median);
    trace.y = found.map((row) => row.y);
    trace.customdata = found.map((row) => spreadText(row.spread));
    trace.marker.line.color = found.map((row) =>
      (row.colours.size === 1 ? [...row.colours][0] : window.HDB.template.layout.font.color));
    trace.error_x.array = found.map((row) => or0(row.spread.high - row.spread.median));
    trace.error_x.arrayminus = found.map((row) => or0(row.spread.median - row.spread.low));
  }

  function notRanked(states) {
    const state = states.size === 1 ? [...states][0] : "not valid";
    return `${state === "complete" ? "incomplete" : state}: not ranked`;
  }

  function dots(spec, layout, narrow) {
    const { derive } = spec;
    const { isShown, counts, text } = R();
    const grid = narrow ? derive.narrowGrid : derive.grid;
    const points = [];  // of all panels: which trace, which row, ...
    spec.data.forEach((trace, at) => {
      if (trace.meta !== "runs") return;
      trace.ids.forEach((id, k) => {
        const run = runOf(id), row = Math.round(trace.y[k]);
        if (isShown(run)) points.push({ at, k, run, row, value: trace.x[k], colour: trace.marker.color[k] });
      });
    });
    const rows = grouped(points, (point) => point.row);
    let order = [...rows.keys()].sort((a, b) => b - a);
    let ranked = 0;
    if (derive.ranks) {
      const score = (row) => {
        const own = rows.get(row), counting = own.filter((point) => counts(point.run));
        return [counting.length > 0, S().median((counting.length ? counting : own).map((p) => p.value))];
      };
      const scores = new Map(order.map((row) => [row, score(row)]));
      order.sort((a, b) => scores.get(b)[0] - scores.get(a)[0] || scores.get(b)[1] - scores.get(a)[1]);
      ranked = order.filter((row) => scores.get(row)[0]).length;
    } else if (order.length > derive.shown) {
      const size = (row) => new Set(rows.get(row).map((point) => point.run)).size;
      const kept = new Set(order.toSorted((a, b) => size(b) - size(a)).slice(0, derive.shown));
      order = order.filter((row) => kept.has(row));
    }
    if (!derive.ranking) order = derive.labels.map((_, k) => derive.shown - 1 - k);
    order = order.slice(0, Math.max(derive.shown, 1));
    const name = (row) => derive.labels[derive.shown - 1 - row];
    const labels = order.map((row, k) => (k < ranked ? `${k + 1} · ${name(row)}` : name(row)));
    const place = new Map(order.map((row, k) => [row, order.length - 1 - k]));
    const notes = layout.annotations.filter((note) => !["panel", "row", "not ranked"].includes(note.name));
    relayout(layout, grid, order, labels, layout.height);
    layout.annotations.push(...notes);

    const data = structuredClone(spec.data);
    spec.data.forEach((trace, at) => {
      if (trace.meta !== "runs") return;
      const own = points.filter((point) => point.at === at && place.has(point.row));
      const drawn = picked(trace, own.map((point) => point.k), trace.x.length);
      drawn.y = own.map((point) => trace.y[point.k] - point.row + place.get(point.row));
      data[at] = drawn;
      const panel = trace.xaxis ? Number(trace.xaxis.slice(1) || 1) - 1 : 0;
      const byRow = [...grouped(own, (point) => place.get(point.row))];
      middles(data[at + 1], byRow.map(([y, of]) => {
        const counting = of.filter((point) => counts(point.run));
        return { y, values: counting.map((p) => p.value), colours: new Set(counting.map((p) => p.colour)) };
      }));
      const hidden = byRow.filter(([, of]) => !of.some((point) => counts(point.run)));
      const xaxis = layout[axisKey("xaxis", panel)];
      hatch(data[at - 1], hidden.map(([y]) => y), xaxis);
      if (!derive.ranking) return;
      for (const [y, of] of hidden) {
        const value = S().median(of.map((point) => point.value));
        const right = (xaxis.type === "log" ? Math.log10(value) : value)
          > (xaxis.range[0] + xaxis.range[1]) / 2;
        layout.annotations.push({
          name: "not ranked", text: notRanked(new Set(of.map((point) => text("state", point.run)))),
          showarrow: false, xref: `${axis("x", panel)} domain`, yref: axis("y", panel),
          x: right ? 0.01 : 0.99, y, xanchor: right ? "left" : "right",
          font: { size: 11, color: window.HDB.muted },
        });
      }
    });
    return data;
  }

  function points(spec) {
    return spec.data.map((trace) => {
      if (!trace.ids) return trace;
      const left = shownPoints(trace);
      return { ...left, visible: left.x.length > 0 };
    });
  }

  // From the median of the hard phase to that of the easy one, for each storage and operation.
  function ranges(spec, layout, narrow) {
    const { derive } = spec;
    const byStorage = grouped(shownRuns(), (run) => R().text("storage", run));
    const order = derive.storages.map((_, k) => derive.shown - 1 - k)
      .filter((row) => byStorage.has(derive.storages[derive.shown - 1 - row]))
      .slice(0, derive.shown);
    const name = (row) => derive.labels[derive.shown - 1 - row];
    relayout(layout, narrow ? derive.narrowGrid : derive.grid, order, order.map(name), layout.height);
    const place = new Map(order.map((row, k) => [derive.storages[derive.shown - 1 - row], order.length - 1 - k]));
    const unranked = new Set();
    const data = spec.data.map((trace) => {
      if (trace.meta !== "range") return structuredClone(trace);
      const panel = trace.xaxis ? Number(trace.xaxis.slice(1) || 1) - 1 : 0;
      const runs = byStorage.get(trace.name) || [];
      const counting = runs.some(R().counts), used = usedOf(runs);
      const ends = ["hard", "easy"].map((difficulty) => [difficulty, S().median(
        valuesOf(used, `ior_${difficulty}_${derive.operations[panel]}_value`).filter((one) => one > 0))])
        .filter(([, value]) => Number.isFinite(value));
      if (!place.has(trace.name) || !ends.length) return { ...trace, x: [], y: [], customdata: [] };
      const y = place.get(trace.name);
      if (!counting) unranked.add(y);
      if (ends.length === 2) {
        layout.annotations.push({
          name: "factor", text: S().factor(ends[1][1] / ends[0][1]) + (counting ? "" : ", not ranked"),
          showarrow: false, xref: `${axis("x", panel)} domain`, yref: axis("y", panel), x: 1, y,
          xanchor: "right", font: { size: 11, color: window.HDB.muted },
        });
      }
      const dot = derive.markers[trace.name] + (counting ? "" : "-open");
      const looks = ends.map(([difficulty]) => derive.ends[difficulty]);
      return {
        ...trace, x: ends.map(([, value]) => value), y: ends.map(() => y),
        customdata: ends.map(([difficulty]) => `${escaped(trace.name)}<br>${difficulty}`),
        line: { ...trace.line, dash: counting ? "solid" : "dot" },
        marker: {
          ...trace.marker, symbol: looks.map((look) => look.symbol || dot),
          size: looks.map((look) => look.size),
          line: { ...trace.marker.line, width: looks.map((look) => look.width) },
        },
      };
    });
    for (const trace of data) {
      if (trace.meta === "not ranked") hatch(trace, [...unranked], layout.xaxis);
    }
    return data;
  }

  function heat(spec, layout) {
    const { number, count, median } = S();
    const usable = shownRuns().filter((run) => R().value("score_total", run) > 0);
    const name = (field) => (run) => R().text(field, run);
    const nodes = [...grouped(usable, name("node")).keys()].sort((a, b) => (a < b ? -1 : 1));
    const there = grouped(usable, name("storage"));
    const storages = spec.derive.storages.filter((one) => there.has(one));
    const [scores, hatched] = structuredClone(spec.data);
    const empty = (value) => nodes.map(() => storages.map(() => value));
    Object.assign(scores, { z: empty(null), text: empty(""), customdata: empty("") });
    Object.assign(hatched, { x: [], base: [], y: [], text: [] });
    for (const runs of grouped(usable, (run) => `${name("node")(run)}\n${name("storage")(run)}`).values()) {
      const row = nodes.indexOf(name("node")(runs[0]));
      const column = storages.indexOf(name("storage")(runs[0]));
      const used = usedOf(runs), score = median(valuesOf(used, "score_total"));
      const words = `${escaped(nodes[row])} · ${escaped(storages[column])}<br>score ${number(score)},`
        + ` ${count(used.length, "run")}`;
      if (R().counts(used[0])) {
        scores.z[row][column] = Math.log10(score);
        scores.text[row][column] = number(score);
        scores.customdata[row][column] = words;
      } else {
        scores.customdata[row][column] = `${words}<br><b>not valid: not ranked</b>`;
        hatched.x.push(column);
        hatched.base.push(row - 0.45);
        hatched.y.push(0.9);
        hatched.text.push(`${number(score)}<br>not ranked`);
      }
    }
    const before = layout.yaxis.tickvals.length;
    const short = (text, most) => escaped(text.length > most ? `${text.slice(0, most - 1)}…` : text);
    Object.assign(layout.xaxis, { tickvals: [...storages.keys()], range: [-0.5, storages.length - 0.5],
      ticktext: storages.map((one) => short(one, 24)) });
    Object.assign(layout.yaxis, { tickvals: [...nodes.keys()], range: [nodes.length - 0.5, -0.5],
      ticktext: nodes.map((one) => short(one, 30)) });
    layout.height += 30 * (Math.max(2, nodes.length) - Math.max(2, before));
    return [scores, hatched];
  }

  function factors(spec) {
    const { ratio, factor, count } = S();
    const device = (run) => R().text("device", run).toLowerCase();
    const counting = shownRuns().filter(R().counts);
    return spec.data.map((trace) => {
      const side = counting.filter((run) => R().store.networked[run] === Number(trace.name === "networked"));
      const shift = trace.y.length ? trace.y[0] - Math.round(trace.y[0]) : 0;
      const found = [];
      for (const [phase, row] of spec.derive.phases) {
        const [ssd, hdd] = ["ssd", "hdd"].map((one) =>
          valuesOf(side.filter((run) => device(run) === one), `${phase.replaceAll("-", "_")}_value`));
        if (ssd.length && hdd.length) found.push({ phase, row, ratio: ratio(ssd, hdd), ssd, hdd });
      }
      return {
        ...trace,
        visible: found.length > 0,
        x: found.map((one) => one.ratio.median),
        y: found.map((one) => one.row + shift),
        text: found.map((one) => factor(one.ratio.median)),
        customdata: found.map((one) => `${one.phase}, ${trace.name}: ${factor(one.ratio.median)}<br>`
          + `${count(one.ssd.length, "SSD run")}, ${count(one.hdd.length, "HDD run")}`),
        error_x: { ...trace.error_x,
          array: found.map((one) => or0(one.ratio.high - one.ratio.median)),
          arrayminus: found.map((one) => or0(one.ratio.median - one.ratio.low)) },
      };
    });
  }

  // The median of each storage over that of all runs that count, phase by phase.
  function parts(spec) {
    const counting = shownRuns().filter(R().counts);
    const byStorage = grouped(counting, (run) => R().text("storage", run));
    const fleet = spec.derive.columns.map((column) => S().median(valuesOf(counting, column)));
    return spec.data.map((trace) => {
      const runs = byStorage.get(trace.name) || [];
      const keep = [], x = [];
      spec.derive.columns.forEach((column, k) => {
        const value = S().median(valuesOf(runs, column)) / fleet[k];
        if (Number.isFinite(value) && trace.meta === "storage") { keep.push(k); x.push(value); }
      });
      const rows = spec.derive.columns.length;
      return { ...trace, x, y: keep.map((k) => rows - 1 - k + spec.derive.shifts[trace.name]),
        customdata: keep.map(() => `${escaped(trace.name)}, ${S().count(runs.length, "run")}`),
        visible: x.length > 0 };
    });
  }

  function failures(spec) {
    const hidden = shownRuns().filter((run) => !R().counts(run));
    const byCode = grouped(hidden, (run) => R().text("failure", run));
    return spec.data.map((trace) => {
      const x = spec.derive.codes.map((code) => (byCode.get(code) || [])
        .filter((run) => R().text("storage", run) === trace.name).length);
      return { ...trace, x, text: x.map((n) => (n ? `${n}` : "")), visible: x.some(Boolean) };
    });
  }

  function history(spec) {
    const targets = new Set(shownRuns().map((run) => R().text("target", run)));
    return points(spec).map((trace) =>
      (trace.meta === "level" ? { ...trace, visible: targets.has(trace.name) } : trace));
  }

  const kinds = { dots, points, ranges, heat, factors, parts, failures, history };

  // The traces of a figure for the runs that are shown; its layout is changed in place.
  window.HDB.derive = (spec, layout, narrow) => {
    const kind = spec.derive && kinds[spec.derive.kind];
    return kind ? kind(spec, layout, narrow) : spec.data;
  };
})();
