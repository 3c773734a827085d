// The figure of a run's ranks: how long each waited for the last one, phase by phase.
(function () {
  "use strict";
  const NAMES = 150;  // pixels below it
  const FEW = 24;  // ranks that have room for their figures
  const { label, known, number } = window.HDB.insideLines;

  // Each rank's waiting for the last one of its phase: {data, layout, alt}, or null.
  function ranks(run, { width, colours }) {
    const { names = [], hosts, last } = run.ranks;
    if (names.length < 2) return null;
    const ends = last.map((of) => Math.max(...known(of)));
    const cell = (make) => names.map((_, rank) => run.phases.map((phase, k) => {
      const end = last[k][rank];
      return end === null ? null : make(end, ends[k], phase, rank);
    }));
    const roomy = names.length <= FEW && width / run.phases.length > 46;
    const title = (k) => (names[k].includes(" ") ? `ranks ${names[k]}` : `rank ${names[k]}`);
    const steps = colours.heat.length - 1;
    const rows = Math.max(30, names.length * (names.length > FEW ? 12 : 22));
    const worst = Math.max(5, ...known(cell((end, all) => (100 * (all - end)) / all).flat()));
    return {
      data: [{
        type: "heatmap", x: run.phases.map((_, k) => k), y: names.map((_, k) => k), meta: "waited, s",
        z: cell((end, all) => (all > 0 ? (100 * (all - end)) / all : 0)),
        text: cell((end, all) => `${Math.round(100 * (all - end)) / 100}`), texttemplate: roomy ? "%{text}" : "",
        customdata: cell((end, all, phase, k) => `${label(phase.name)}, ${title(k)} on ${label(hosts[k])}<br>`
          + `last operation after ${number(end)} s, waited ${number(all - end)} s (${number(all > 0 ? (100 * (all - end)) / all : 0)} %)`),
        hovertemplate: "%{customdata}<extra></extra>", xgap: 2, ygap: names.length > FEW ? 0 : 2, zmin: 0, zmax: worst,
        colorscale: colours.heat.map((colour, k) => [k / steps, colour]), showscale: !roomy && width >= 640,
        colorbar: { title: { text: "waited, % of the phase", side: "right", font: { size: 11 } }, thickness: 10, outlinewidth: 0,
          lenmode: "pixels", len: Math.max(160, rows) },
      }],
      layout: {
        height: rows + NAMES + 36, margin: { l: 70, r: 12, t: 28, b: NAMES },
        xaxis: { tickvals: run.phases.map((_, k) => k), ticktext: run.phases.map((phase) => label(phase.name, 22)), tickangle: -90, showgrid: false },
        yaxis: { autorange: "reversed", showgrid: false, tickvals: names.map((_, k) => k).filter((k) => names.length <= FEW || k % 8 === 0),
          ticktext: names.map((_, k) => title(k)).filter((_, k) => names.length <= FEW || k % 8 === 0) },
      },
      alt: `Table of colours: how long each of ${names.length} ${names.some((one) => one.includes(" ")) ? "groups of " : ""}ranks waited for the last one in`
        + ` each of ${run.phases.length} phases; at most ${number(worst)} % of a phase.`,
    };
  }

  window.HDB.insideFigures.ranks = ranks;
})();
