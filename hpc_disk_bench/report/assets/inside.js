// The course of each phase of a run that the reader chooses: the section is filled when it comes near.
(function () {
  "use strict";
  const MOST_OVERLAID = 8;
  let place, data, run = null, parts;
  const figures = [];  // {place, draw(width)}

  const R = () => window.HDB.runs;
  const S = () => window.HDB.statistics;
  const make = (...all) => window.HDB.element(...all);
  const target = (one) => R().text("target", one.run);
  const named = (one) => `${target(one)} · ${one.started}${one.counts ? "" : ` · ${one.state}`}`;
  const offered = () => data.runs.filter((one) => R().isShown(one.run));
  const others = () => offered().filter((one) => one !== run && target(one) === target(run));

  function select(title) {
    const made = make("select", { className: "hdb-select" });
    made.setAttribute("aria-label", title);
    return [make("label", { className: "hdb-choice" }, `${title} `, made), made];
  }

  function draw(theme = document.documentElement.dataset.hdbTheme, width = undefined) {
    for (const figure of figures) {
      try {
        const { data: traces, layout, alt } = figure.made(width || figure.place.clientWidth, width !== undefined);
        if (width) layout.width = width;
        figure.place.setAttribute("aria-label", alt);
        Object.assign(figure, { data: traces, layout });
        window.HDB.paint(figure.place, traces, layout, theme);
      } catch (error) {
        figure.place.textContent = `This figure could not be drawn: ${error.message}`;
        console.error(error);
      }
      figure.place.dispatchEvent(new CustomEvent("hdb-drawn"));
    }
  }

  function figure(name, title, caption, made) {
    const own = make("div", { id: `plot-${name}`, className: "hdb-plot" });
    own.setAttribute("role", "img");
    parts.result.append(make("figure", { className: "hdb-figure", id: `figure-${name}` },
      make("p", { className: "hdb-title" }, title), make("div", { className: "hdb-plotbox" }, own),
      make("figcaption", {}, caption)));
    figures.push({ place: own, made });
    return figures.at(-1);
  }

  const time = (value, scale = 1e3) => ({ shown: S().number(value * scale), value });
  const badge = (one) => {
    const kind = one.state === "suspect" ? "doubt" : one.counts ? "good" : "bad";
    const sign = { doubt: "?", good: "✓", bad: "✗" }[kind];
    return make("span", { className: `hdb-badge hdb-${kind}` }, `${sign} ${one.counts && kind === "good" ? "valid" : one.state}`);
  };

  function findings() {
    const only = phase(), box = make("div", { className: "hdb-findings" }, make("p", { className: "hdb-title" }, "What was found"));
    const items = run.findings.map((one, k) => [k, ...one]).filter(([, of]) => only === null || of === only);
    const list = make("ol");
    for (const [k, of, kind, text, confidence, from] of items) {
      const when = from === null ? "" : `, ${Math.round(from)} s`;
      list.append(make("li", { value: k + 1 }, make("strong", {}, `${run.phases[of].name}${when}: ${kind}`),
        ` ${text} `, make("small", {}, `(confidence ${confidence})`)));
    }
    box.append(items.length ? list : make("p", {}, only === null
      ? "Nothing: no phase dropped, decayed or swelled, and no rank kept the others waiting, as far as it can be told."
      : `Nothing in ${run.phases[only].name}.`));
    parts.result.append(box);
  }

  // A phase's course in a few words: the findings are told above.
  function course(one) {
    const found = run.findings.map((finding, k) => [k + 1, ...finding])
      .filter(([, of]) => run.phases[of] === one).map(([k, , kind]) => `${kind} (${k})`);
    return [...(one.text ? [one.text] : []), ...found].join("; ");
  }

  function rate(one) {
    if (one.level === null) return "";
    return one.unit === "bytes/s" ? `${S().number(one.level / 1024)} GiB/s` : `${S().number(one.level / 1000)} kIOPS`;
  }

  function tables(also) {
    const only = phase(), mine = (name) => only === null || run.phases[only].name === name;
    window.HDB.tableInto(parts.result, "inside-phases", "Phases of the run",
      [["phase"], ["began, s", true], ["took, s", true], ["median rate", true], ["its course"]],
      run.phases.filter((one) => mine(one.name)).map((one) => [one.name, time(one.at, 1), time(one.took, 1),
        { shown: rate(one), value: one.level ?? NaN }, { shown: course(one), long: true }]));
    const rows = run.latencies.filter(([name]) => mine(name));
    if (!rows.length) return;
    if (run.histograms.some(([name]) => mine(name))) {
      figure("inside-histograms", "How many operations took how long (operations a second in each class of latencies)",
        "Both axes are logarithmic: a step is a class 4.4 % wide, the lowest a single operation. Strokes mark the latencies that 50, 95, 99, 99.9 and 100 %"
        + " of the operations did not exceed, as in the table below. The classes are in histogram.csv of the run."
        + (also.length ? " Other runs are dotted." : ""),
        (width) => window.HDB.insideFigures.histograms(run, { only: phase(), others: also, width, colours: data.colours }));
    }
    parts.result.append(make("p", { className: "hdb-title" }, "Latency of each kind of operation (ms)"));
    window.HDB.tableInto(parts.result, "inside-latencies", "Latency of each kind of operation, ms",
      [["phase"], ["operation"], ["count", true], ["median", true], ["95 %", true], ["99 %", true], ["99.9 %", true], ["longest", true]],
      rows.map(([name, operation, count, ...values]) =>
        [name, operation, { shown: S().number(count), value: count }, ...values.map((value) => time(value ?? NaN))]));
  }

  const phase = () => (parts.phase.value === "" ? null : Number(parts.phase.value));

  function show() {
    for (const { place: own } of figures) window.Plotly.purge(own);
    figures.length = 0;
    parts.result.replaceChildren();
    if (!run) {
      parts.said.textContent = "None of the runs that are shown has a record: change the filter of the page.";
      return;
    }
    const also = parts.overlay.checked ? others().slice(0, MOST_OVERLAID) : [];
    const count = run.findings.length;
    parts.said.textContent = `${named(run)}: ${count ? S().count(count, "finding") : "nothing found"}`;
    parts.result.append(make("p", {}, badge(run), run.why ? ` ${run.why}` : ""));
    figure("inside-series", `${named(run)}${phase() === null ? "" : ` · ${run.phases[phase()].name}`}`,
      "Drag sideways to look closer, double-click to see all. Seconds in which nothing was done lie on the floor of a"
      + " logarithmic axis. A number in a frame is a finding of the list below, a dashed line its second.",
      (width, paper) => window.HDB.insideFigures.series(run, {
        only: phase(), others: also, width, paper, colours: data.colours,
      }));
    findings();
    tables(also);
    if (run.ranks.names?.length > 1) {
      const strip = figure("inside-ranks", "How long each rank waited for the last one (seconds)",
        "From a rank's last operation to the last operation of all; the stronger the colour, the larger the share of the phase."
        + " Where all rows but one wait, that one kept the others waiting.",
        (width) => window.HDB.insideFigures.ranks(run, { width, colours: data.colours }));
      window.HDB.dataTable(strip);
    }
    draw();
  }

  // A run of its own: its phases to choose from, and how many others there are to lay over it.
  function choose(one) {
    run = one || null;
    const before = run && parts.phase.selectedOptions[0]?.textContent;
    const options = run ? run.phases.map((phase_, k) => make("option", { value: String(k) }, phase_.name)) : [];
    parts.phase.replaceChildren(make("option", { value: "" }, "all, one after the other"), ...options);
    const same = options.find((option) => option.textContent === before);
    if (same) parts.phase.value = same.value;
    const count = run ? others().length : 0;
    parts.overlay.disabled = !count;
    parts.among.textContent = count > MOST_OVERLAID
      ? ` Lay over it the ${MOST_OVERLAID} newest of the node's ${count} other runs of this storage`
      : ` Lay over it the node's ${count || ""} other ${count === 1 ? "run" : "runs"} of this storage${count ? "" : ": there is none"}`;
    show();
  }

  function fill() {
    const runs = offered();
    parts.run.replaceChildren(...runs.map((one) => make("option", { value: String(one.run) }, named(one))));
    const same = runs.find((one) => one === run) || runs[0];
    if (same) parts.run.value = String(same.run);
    parts.run.disabled = !runs.length;
    choose(same);
  }

  function open() {
    if (parts) return;
    data = JSON.parse(document.getElementById("hdb-inside-data").textContent);
    const [runLabel, runSelect] = select("Run");
    const [phaseLabel, phaseSelect] = select("Phase");
    runSelect.classList.add("hdb-wide");
    const overlay = make("input", { type: "checkbox" }), among = make("span");
    parts = {
      run: runSelect, phase: phaseSelect, overlay, among,
      said: make("p", { className: "hdb-status", role: "status" }), result: make("div"),
    };
    place.append(make("div", { className: "hdb-tools" }, runLabel, phaseLabel,
      make("label", { className: "hdb-choice" }, overlay, among)), parts.said, parts.result);
    runSelect.addEventListener("change", () => choose(data.runs.find((one) => String(one.run) === runSelect.value)));
    phaseSelect.addEventListener("change", show);
    overlay.addEventListener("change", show);
    fill();
  }

  document.addEventListener("DOMContentLoaded", () => {
    place = document.getElementById("hdb-inside");
    if (!place || !R()) return;
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      open();
    }, { rootMargin: "300px" });
    watch.observe(place);
    document.addEventListener("hdb-filter", () => { if (parts) fill(); });
    document.addEventListener("hdb-theme", () => draw());
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      draw();
    });
    window.addEventListener("beforeprint", () => { open(); draw("light", window.HDB.PAPER); });
    window.addEventListener("afterprint", () => draw());
  });
})();
