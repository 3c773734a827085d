// The figures of one run's record: rates, latencies and what the nodes did on one time axis, and how
// long each rank waited. A record is what hpc_disk_bench/report/inside/record.py makes of it.
(function () {
  "use strict";
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const PANEL = 150, GAP = 44, NAMES = 150, FOOT = 48;  // pixels
  const NAME = 15;  // pixels that a phase's upright name takes
  const DECADE = 10;  // medians that lie so far apart get a logarithmic axis

  const escaped = (text) => String(text).replace(/\s+/g, " ")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const label = (text, most = 34) => {
    const one = String(text);
    return escaped(one.length > most ? `${one.slice(0, most - 1)}…` : one);
  };
  const known = (values) => values.filter((value) => Number.isFinite(value));
  const number = (value) => window.HDB.statistics.number(value);

  const RATES = {
    "bytes/s": { title: "Bandwidth", unit: "GiB/s", scale: 1 / 1024 },
    "1/s": { title: "Operations", unit: "kIOPS", scale: 1 / 1000 },
  };

  // Parts of several phases as one line: [x], [y], with a gap between them.
  class Line {
    constructor() { Object.assign(this, { x: [], y: [], words: [] }); }

    add(x, y, words) {
      x.forEach((at, k) => {
        this.x.push(at);
        this.y.push(y[k]);
        this.words.push(words(k));
      });
      this.x.push(null);
      this.y.push(null);
      this.words.push("");
    }
  }

  // Closed shapes between two lines, a gap wherever something is unknown.
  class Band {
    constructor() { Object.assign(this, { x: [], y: [] }); }

    add(x, low, high) {
      let run = [];
      const close = () => {
        if (run.length > 1) {
          const there = run.map((k) => [x[k], high[k]]), back = run.toReversed().map((k) => [x[k], low[k]]);
          for (const [at, value] of [...there, ...back, there[0], [null, null]]) {
            this.x.push(at);
            this.y.push(value);
          }
        }
        run = [];
      };
      x.forEach((_, k) => {
        if (Number.isFinite(low[k]) && Number.isFinite(high[k])) run.push(k);
        else close();
      });
      close();
    }
  }

  const line = (of, colour, more = {}) => ({
    type: "scatter", mode: of.x.length > 40 ? "lines" : "lines+markers", x: of.x, y: of.y,
    customdata: of.words, hovertemplate: "%{customdata}<extra></extra>", connectgaps: false,
    line: { color: colour, width: 1.6, ...more.line }, marker: { color: colour, size: 5 },
    meta: more.meta,
  });
  const band = (of, colour, meta) => ({
    type: "scatter", mode: "lines", x: of.x, y: of.y, fill: "toself", fillcolor: colour,
    line: { width: 0 }, opacity: 0.25, hoverinfo: "skip", meta,
  });

  // An axis of values: from 0, or logarithmic, and then nothing is below its lowest value.
  function axisOf(levels, all, log) {
    const values = known(all).filter((value) => value > 0);
    if (!values.length) return { range: [0, 1], floor: 0 };
    const high = Math.max(...values);
    if (!(log ?? Math.max(...levels) >= DECADE * Math.min(...levels))) return { range: [0, high * 1.08], floor: 0 };
    // A stall is drawn on the floor of the axis, which lies below all that was measured.
    const low = Math.min(...values) / 1.6;
    return {
      type: "log", range: [Math.log10(low), Math.log10(high * 1.4)], floor: low,
      exponentformat: "none", dtick: Math.log10(high / low) > 2.5 ? 1 : "D2", nticks: 5,
    };
  }
  const onto = (floor) => (value) => (value === null ? null : Math.max(value, floor));

  const at = (phase, seconds) => `${label(phase.name)}, ${number(seconds)} s`;

  // What is drawn of one panel: {title, axis, traces}.
  function ratePanel(run, phases, unit, others, colours) {
    const { title, unit: name, scale } = RATES[unit];
    const own = phases.filter((phase) => phase.unit === unit);
    if (!own.length) return null;
    const scaled = (values) => (values || []).map((value) => (value === null ? null : value * scale));
    const overlaid = others.map((other) => ({
      other,
      parts: own.map((phase) => [phase, other.phases.find((one) => one.name === phase.name)])
        .filter(([, one]) => one && one.unit === unit),
    })).filter(({ parts }) => parts.length);
    const all = own.flatMap((phase) => scaled([...phase.rate, ...(phase.high || []), ...(phase.low || [])]))
      .concat(overlaid.flatMap(({ parts }) => parts.flatMap(([, one]) => scaled(one.rate))));
    const levels = own.map((phase) => (phase.level || 0) * scale).filter((level) => level > 0);
    const { floor, ...axis } = axisOf(levels, all);
    const clip = onto(floor), spans = new Band(), main = new Line(), traces = [];
    for (const phase of own) {
      const x = phase.x.map((one) => one + phase.from), rate = scaled(phase.rate);
      const low = scaled(phase.low), high = scaled(phase.high);
      if (phase.low) spans.add(x, low.map(clip), high.map(clip));
      main.add(x, rate.map(clip), (k) => `${at(phase, phase.x[k])}: ${number(rate[k])} ${name}`
        + (phase.low ? ` (${number(low[k])} to ${number(high[k])} in ${number(phase.per)} s)` : ""));
    }
    for (const { other, parts } of overlaid) {
      const one = new Line();
      for (const [phase, theirs] of parts) {
        const keep = [...theirs.x.keys()].filter((k) => theirs.x[k] <= phase.room);
        const rate = scaled(theirs.rate);
        one.add(keep.map((k) => theirs.x[k] + phase.from), keep.map((k) => clip(rate[k])),
          (k) => `${escaped(other.started)}${other.counts ? "" : ` (${escaped(other.state)})`}<br>`
            + `${at(phase, theirs.x[keep[k]])}: ${number(rate[keep[k]])} ${name}`);
      }
      traces.push(line(one, colours.muted, { line: { width: 1, dash: "dot" }, meta: "other run" }));
    }
    if (spans.x.length) traces.push(band(spans, run.colour, "lowest to highest"));
    traces.push(line(main, run.colour, { meta: "rate" }));
    const how = overlaid.length ? `: this run solid, ${overlaid.length} other${overlaid.length > 1 ? "s" : ""} dotted` : "";
    return { title: `${title} (${name})${how}`, axis, traces };
  }

  function latencyPanel(run, phases) {
    const own = phases.filter((phase) => phase.p50 && known(phase.p50).length);
    if (!own.length) return null;
    const ms = (values) => values.map((value) => (value === null ? null : value / 1000));
    const { floor, ...axis } = axisOf([], own.flatMap((phase) => ms([...phase.p50, ...phase.p99])), true);
    const clip = onto(floor), spans = new Band(), low = new Line(), high = new Line();
    for (const phase of own) {
      const x = phase.x.map((one) => one + phase.from), [p50, p99] = [ms(phase.p50), ms(phase.p99)];
      const words = (k) => `${at(phase, phase.x[k])}: half within ${number(p50[k])} ms, 99 % within ${number(p99[k])} ms`;
      spans.add(x, p50.map(clip), p99.map(clip));
      low.add(x, p50.map(clip), words);
      high.add(x, p99.map(clip), words);
    }
    return {
      title: "Latency (ms): median solid, 99th percentile dotted", axis,
      traces: [band(spans, run.colour, "p50 to p99"), line(low, run.colour, { meta: "p50" }),
        line(high, run.colour, { line: { width: 1, dash: "dot" }, meta: "p99" })],
    };
  }

  function nodeLine(x, values, words, colour, dash, meta, shift) {
    const one = new Line();
    one.add(x.map((second) => second - shift), values, words);
    return line(one, colour, { line: { width: 1.3, dash }, meta });
  }

  function cpuPanel(run, shift, colours) {
    const nodes = run.nodes.cpu || [];
    if (!nodes.length) return null;
    const traces = nodes.flatMap((node, k) => {
      const words = (i) => `${label(node.name)}: CPUs ${number(node.busy[i])} % busy,`
        + ` ${number(node.wait[i])} % waiting for input or output`;
      const spans = new Band();
      spans.add(node.x.map((x) => x - shift), node.low, node.high);
      const spread = node.low.some((low, i) => low !== node.high[i]);
      return [
        ...(spread ? [band(spans, colours.muted, "lowest to highest")] : []),
        nodeLine(node.x, node.wait, words, colours.warning, nodes.length > 1 ? DASHES[k] : "dot", "waiting", shift),
        nodeLine(node.x, node.busy, words, colours.ink, DASHES[k], "busy", shift),
      ];
    });
    const who = nodes.length > 1
      ? nodes.map((node, k) => `${label(node.name, 16)} ${DASHES[k]}`).join(", ")
      : `${run.nodes.count > 1 ? "mean of all nodes, " : ""}busy solid, waiting for input or output dotted`;
    return { title: `CPU (%): ${who}`, axis: { range: [0, 105], tickvals: [0, 50, 100] }, traces };
  }

  function sumPanel(of, title, unit, names, shift, colours, scale) {
    if (!of) return null;
    const scaled = (values) => (values || []).map((value) => (value === null ? null : value * scale));
    const all = names.flatMap((name) => [...scaled(of[name]), ...scaled(of[`${name}_high`])]);
    if (!known(all).some((value) => value > 0)) return null;
    const { floor: _, ...axis } = axisOf([1], all, false);
    const traces = names.map((name, k) => {
      const values = scaled(of[name]);
      return nodeLine(of.x, values, (i) => `${name} ${number(values[i])} ${unit}`, colours.ink, DASHES[2 * k], name, shift);
    });
    return { title: `${title} (${unit})${names.length > 1 ? `: ${names[0]} solid, ${names[1]} dotted` : ""}`, axis, traces };
  }

  // The phases' names upright above the panels, moved apart where phases are short.
  function spread(phases, range, width) {
    const least = (NAME * (range[1] - range[0])) / width;
    const places = phases.map((phase) => phase.from + phase.took / 2);
    for (let k = 1; k < places.length; k += 1) places[k] = Math.max(places[k], places[k - 1] + least);
    let end = range[1] - least / 2;
    for (let k = places.length - 1; k >= 0; k -= 1) {
      places[k] = Math.min(places[k], end);
      end = places[k] - least;
    }
    return places;
  }

  // The figure of a run, or of its phase `only`: {data, layout, alt}.
  function series(run, { only = null, others = [], width, colours }) {
    const chosen = only === null ? run.phases : [run.phases[only]];
    const shift = only === null ? 0 : chosen[0].at;
    const last = chosen.at(-1);
    const longest = Math.max(last.took, ...(only === null ? [] : others.flatMap((other) =>
      other.phases.filter((one) => one.name === last.name).map((one) => one.took))));
    const end = last.at - shift + longest;
    const range = [-0.01 * end, 1.01 * end];
    const phases = chosen.map((phase, k) => ({
      ...phase, from: phase.at - shift,
      // As far as another run's line of the same phase may go.
      room: only === null && k + 1 < chosen.length ? chosen[k + 1].at - phase.at : Infinity,
    }));
    const { dirty, traffic } = run.nodes;
    const panels = [
      ...Object.keys(RATES).map((unit) => ratePanel(run, phases, unit, others, colours)),
      latencyPanel(run, phases),
      cpuPanel(run, shift, colours),
      sumPanel(dirty, "Dirty and written back memory", "GiB", ["dirty"], shift, colours, 1 / 1024),
      sumPanel(traffic, `Traffic of the ${traffic?.source}`, "MiB/s", ["written", "read"], shift, colours, 1),
    ].filter(Boolean);
    const body = panels.length * (PANEL + GAP) - GAP;
    const narrow = width < 640, top = NAMES + (narrow ? 30 : 22);
    const layout = {
      height: top + body + FOOT, margin: { l: narrow ? 44 : 56, r: 12, t: top, b: FOOT }, shapes: [], annotations: [],
      hovermode: "closest", dragmode: "zoom",
      xaxis: { range, title: { text: only === null ? "seconds since the first phase began" : "seconds since the phase began" },
        anchor: panels.length > 1 ? `y${panels.length}` : "y", minallowed: range[0], maxallowed: range[1], tickformat: ",d" },
    };
    if (only !== null && end < 10) delete layout.xaxis.tickformat;
    const data = panels.flatMap((panel, k) => {
      const axis = k ? `y${k + 1}` : "y", high = 1 - (k * (PANEL + GAP)) / body;
      layout[axis.replace("y", "yaxis")] = { ...panel.axis, domain: [Math.max(0, high - PANEL / body), high], automargin: false };
      layout.annotations.push({
        text: panel.title, x: 0, xref: "x domain", y: high, yref: "paper", xanchor: "left", yanchor: "bottom",
        showarrow: false, font: { size: 12, color: colours.ink }, yshift: 2, align: "left",
      });
      return panel.traces.map((trace) => ({ ...trace, xaxis: "x", yaxis: axis }));
    });
    const places = spread(phases, range, width - layout.margin.l - 12);
    phases.forEach((phase, k) => {
      if (k % 2 === 0) {
        layout.shapes.push({ type: "rect", x0: phase.from, x1: phase.from + phase.took, y0: 0, y1: 1,
          yref: "paper", fillcolor: colours.band, line: { width: 0 }, layer: "below" });
      }
      layout.annotations.push({ name: "phase", text: label(phase.name, 22), x: places[k], y: 1, yref: "paper", yanchor: "bottom",
        textangle: only === null ? -90 : 0, yshift: 42, showarrow: false, font: { size: 12, color: colours.muted } });
    });
    mark(run, phases, only, layout, range, width, colours);
    if (only !== null) shorten(layout);
    const said = run.findings.filter(([k]) => only === null || k === only)
      .map(([k, kind, text]) => `${run.phases[k].name}: ${kind}, ${text}`);
    const alt = `Panels on one time axis: ${panels.map((panel) => panel.title.split(":")[0]).join(", ")}, of`
      + ` ${only === null ? `${phases.length} phases in ${number(end)} s` : `${last.name}, ${number(last.took)} s`}.`
      + ` ${said.length ? said.join(". ") : "Nothing was found"}. The tables below have the numbers.`;
    return { data, layout, alt };
  }

  // One name that lies flat needs less room above.
  function shorten(layout) {
    const less = NAMES - 34;
    layout.margin.t -= less;
    layout.height -= less;
  }

  // The findings' numbers above the panels, and a line or a field where they have a place in time.
  function mark(run, phases, only, layout, range, width, colours) {
    const groups = new Map(), near = (18 * (range[1] - range[0])) / width;
    run.findings.forEach(([phase, , , , from, until], k) => {
      if (only !== null && phase !== only) return;
      const own = phases[only === null ? phase : 0];
      const x = own.from + (from ?? own.took / 2);
      if (from !== null) {
        layout.shapes.push(until === null
          ? { type: "line", x0: x, x1: x, y0: 0, y1: 1, yref: "paper", line: { color: colours.warning, width: 1.5, dash: "dash" } }
          : { type: "rect", x0: x, x1: own.from + until, y0: 0, y1: 1, yref: "paper", fillcolor: colours.warning,
            opacity: 0.15, line: { width: 0 }, layer: "below" });
      }
      const place = [...groups.keys()].find((one) => Math.abs(one - x) < near) ?? x;
      groups.set(place, [...(groups.get(place) || []), k + 1]);
    });
    for (const [x, numbers] of groups) {
      layout.annotations.push({ name: "finding", text: `<b>${numbers.join(" ")}</b>`, x, y: 1, yref: "paper", yanchor: "bottom",
        yshift: 20, showarrow: false, font: { size: 12, color: colours.warning }, bordercolor: colours.warning, borderpad: 2 });
    }
  }

  // Each rank's waiting for the last one of its phase: {data, layout, alt}, or null.
  function ranks(run, { width, colours }) {
    const { names = [], hosts, last } = run.ranks;
    if (names.length < 2) return null;
    const ends = last.map((of) => Math.max(...known(of)));
    const cell = (make) => names.map((_, rank) => run.phases.map((phase, k) => {
      const end = last[k][rank];
      return end === null ? null : make(end, ends[k], phase, rank);
    }));
    const roomy = names.length <= 24 && width / run.phases.length > 46;
    const title = (k) => (names[k].includes(" ") ? `ranks ${names[k]}` : `rank ${names[k]}`);
    const steps = colours.heat.length - 1;
    const rows = Math.max(60, names.length * (names.length > 24 ? 12 : 22));
    const worst = Math.max(5, ...known(cell((end, all) => (100 * (all - end)) / all).flat()));
    return {
      data: [{
        type: "heatmap", x: run.phases.map((_, k) => k), y: names.map((_, k) => k), meta: "waited, s",
        z: cell((end, all) => (all > 0 ? (100 * (all - end)) / all : 0)),
        text: cell((end, all) => number(all - end)), texttemplate: roomy ? "%{text}" : "",
        customdata: cell((end, all, phase, k) => `${label(phase.name)}, ${title(k)} on ${label(hosts[k])}<br>`
          + `last operation after ${number(end)} s, waited ${number(all - end)} s (${number(all > 0 ? (100 * (all - end)) / all : 0)} %)`),
        hovertemplate: "%{customdata}<extra></extra>", xgap: 2, ygap: names.length > 24 ? 0 : 2, zmin: 0, zmax: worst,
        colorscale: colours.heat.map((colour, k) => [k / steps, colour]), showscale: !(width < 640),
        colorbar: { title: { text: "waited, % of the phase", side: "right", font: { size: 11 } }, thickness: 10, outlinewidth: 0 },
      }],
      layout: {
        height: rows + NAMES + 16, margin: { l: 70, r: 12, t: 8, b: NAMES },
        xaxis: { tickvals: run.phases.map((_, k) => k), ticktext: run.phases.map((phase) => label(phase.name, 22)), tickangle: -90, showgrid: false },
        yaxis: { autorange: "reversed", showgrid: false, tickvals: names.map((_, k) => k).filter((k) => names.length <= 24 || k % 8 === 0),
          ticktext: names.map((_, k) => title(k)).filter((_, k) => names.length <= 24 || k % 8 === 0) },
      },
      alt: `Table of colours: how long each of ${names.length} ${names.some((one) => one.includes(" ")) ? "groups of " : ""}ranks waited for the last one in`
        + ` each of ${run.phases.length} phases; at most ${number(worst)} % of a phase.`,
    };
  }

  window.HDB.insideFigures = { series, ranks };
})();
