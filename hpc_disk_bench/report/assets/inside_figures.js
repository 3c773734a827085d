// The figure of one run's record: rates, latencies and what the nodes did on one time axis. A record is
// what hpc_disk_bench/report/inside/record.py makes of it.
(function () {
  "use strict";
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const DASHED = ["solid", "dashed", "dotted", "dash-dotted"];
  const PANEL = 150, ON_PAPER = 58, NAMES = 172, FOOT = 48;  // pixels
  const NAME = 15;  // pixels that a phase's upright name takes
  const { escaped, label, known, number, Line, Band, lines, band, axisOf, ticksOf, onto } = window.HDB.insideLines;

  const RATES = {
    "bytes/s": { title: "Bandwidth", unit: "GiB/s", scale: 1 / 1024 },
    "1/s": { title: "Operations", unit: "kIOPS", scale: 1 / 1000 },
  };

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
      traces.push(...lines(one, colours.muted, "other run", { width: 1, dash: "dot" }));
    }
    if (spans.x.length) traces.push(band(spans, run.colour, "lowest to highest"));
    traces.push(...lines(main, run.colour, "rate"));
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
      const words = (k) => `half within ${number(p50[k])} ms, 99 % within ${number(p99[k])} ms`;
      spans.add(x, p50.map(clip), p99.map(clip));
      low.add(x, p50.map(clip), words);
      high.add(x, p99.map(clip), words);
    }
    return {
      title: "Latency (ms): median solid, 99th percentile dotted", axis,
      traces: [band(spans, run.colour, "p50 to p99"), ...lines(low, run.colour, "p50"),
        ...lines(high, run.colour, "p99", { width: 1, dash: "dot" }, true)],
    };
  }

  // Only what is within `span`, the seconds that are drawn, counted from `span.shift`.
  function within(x, span) {
    return [...x.keys()].filter((k) => x[k] >= span.shift && x[k] <= span.shift + span.length);
  }

  function nodeLines(x, values, words, colour, dash, meta, span) {
    const one = new Line(), keep = within(x, span);
    one.add(keep.map((k) => x[k] - span.shift), keep.map((k) => values[k]), (k) => words?.(keep[k]));
    return lines(one, colour, meta, { width: words ? 1.4 : 0.8, dash }, !words);
  }

  function cpuPanel(run, span, colours) {
    const nodes = run.nodes.cpu || [];
    if (!nodes.length) return null;
    const traces = nodes.flatMap((node, k) => {
      const words = (i) => `${label(node.name)}: CPUs ${number(node.busy[i])} % busy,`
        + ` ${number(node.wait[i])} % waiting for input or output`;
      const spans = new Band(), keep = within(node.x, span);
      spans.add(...[node.x.map((x) => x - span.shift), node.low, node.high].map((all) => keep.map((i) => all[i])));
      const spread = node.low.some((low, i) => low !== node.high[i]);
      return [
        ...(spread ? [band(spans, colours.muted, "lowest to highest")] : []),
        ...nodeLines(node.x, node.wait, null, colours.warning, nodes.length > 1 ? DASHES[k] : "dot", "waiting", span),
        ...nodeLines(node.x, node.busy, words, colours.ink, DASHES[k], "busy", span),
      ];
    });
    const who = nodes.length > 1
      ? nodes.map((node, k) => `${label(node.name, 16)} ${DASHED[k]}`).join(", ") + "; I/O wait thin"
      : `${run.nodes.count > 1 ? "mean of all nodes, " : ""}busy solid, I/O wait dotted`;
    return { title: `CPU (%): ${who}`, axis: { range: [0, 105], tickvals: [0, 50, 100] }, traces };
  }

  function sumPanel(of, title, unit, names, span, colours, scale) {
    if (!of) return null;
    const scaled = (values) => (values || []).map((value) => (value === null ? null : value * scale));
    const all = names.flatMap((name) => [...scaled(of[name]), ...scaled(of[`${name}_high`])]);
    if (!known(all).some((value) => value > 0)) return null;
    const { floor: _, ...axis } = axisOf([1], all, false);
    const traces = names.flatMap((name, k) => {
      const values = scaled(of[name]);
      return nodeLines(of.x, values, (i) => `${name} ${number(values[i])} ${unit}`, colours.ink, DASHES[2 * k], name, span);
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
  function series(run, { only = null, others = [], width, paper = false, colours }) {
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
    const span = { shift, length: only === null ? end : last.took };
    const panels = [
      ...Object.keys(RATES).map((unit) => ratePanel(run, phases, unit, others, colours)),
      latencyPanel(run, phases),
      cpuPanel(run, span, colours),
      sumPanel(dirty, "Memory still to be written", "GiB", ["dirty"], span, colours, 1 / 1024),
      sumPanel(traffic, `Traffic of the ${traffic?.source}`, "MiB/s", ["written", "read"], span, colours, 1),
    ].filter(Boolean);
    const narrow = width < 640, tall = paper ? ON_PAPER : PANEL, gap = paper ? 30 : narrow ? 60 : 44, top = NAMES + (narrow ? 44 : 26);
    const body = panels.length * (tall + gap) - gap;
    const layout = {
      height: top + body + FOOT, margin: { l: narrow ? 44 : 56, r: 12, t: top, b: FOOT }, shapes: [], annotations: [],
      separators: ".\u202f", hovermode: "x unified", hoversubplots: "axis", hoverdistance: 20, dragmode: "zoom",
      xaxis: { range, title: { text: only === null ? "seconds since the first phase began" : "seconds since the phase began" },
        anchor: panels.length > 1 ? `y${panels.length}` : "y", minallowed: range[0], maxallowed: range[1], tickformat: ",~f", hoverformat: ",.1f",
        unifiedhovertitle: { text: "%{x} s" } },
    };
    const data = panels.flatMap((panel, k) => {
      const axis = k ? `y${k + 1}` : "y", high = 1 - (k * (tall + gap)) / body;
      layout[axis.replace("y", "yaxis")] = { ...panel.axis, ...ticksOf(panel.axis, tall), domain: [Math.max(0, high - tall / body), high], automargin: false, fixedrange: true };
      layout.annotations.push({
        text: narrow ? panel.title.replace(": ", ":<br>") : panel.title, bgcolor: colours.background, borderpad: 0, x: 0, xref: "x domain", y: high, yref: "paper", xanchor: "left", yanchor: "bottom",
        showarrow: false, font: { size: 12, color: colours.ink }, yshift: 2, align: "left",
      });
      return panel.traces.map((trace) => ({ ...trace, xaxis: "x", yaxis: axis }));
    });
    const above = narrow ? 34 : 20;
    const places = spread(phases, range, width - layout.margin.l - 12);
    phases.forEach((phase, k) => {
      if (k % 2 === 0) {
        layout.shapes.push({ type: "rect", x0: phase.from, x1: phase.from + phase.took, y0: 0, y1: 1,
          yref: "paper", fillcolor: colours.band, line: { width: 0 }, layer: "below" });
      }
      layout.annotations.push({ name: "phase", text: label(phase.name, 22), x: places[k], y: 1, yref: "paper", yanchor: "bottom",
        textangle: only === null ? -90 : 0, yshift: above + 22, showarrow: false, font: { size: 12, color: colours.muted } });
    });
    mark(run, phases, only, layout, range, width, colours, above);
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
  function mark(run, phases, only, layout, range, width, colours, above) {
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
        yshift: above, showarrow: false, font: { size: 12, color: colours.warning }, bordercolor: colours.warning, borderpad: 2 });
    }
  }

  window.HDB.insideFigures = { series };
})();
