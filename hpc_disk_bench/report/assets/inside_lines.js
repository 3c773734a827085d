// What the figures of a run's record are made of: lines with gaps, bands, axes, names as plain text.
(function () {
  "use strict";
  const FEW = 20;  // points that are drawn one by one
  const TICK = 16;  // pixels that a number takes on an upright axis
  const DECADE = 10;  // medians that lie so far apart get a logarithmic axis

  const escaped = (text) => String(text).replace(/\s+/g, " ")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const label = (text, most = 34) => {
    const one = String(text);
    return escaped(one.length > most ? `${one.slice(0, most - 1)}…` : one);
  };
  const known = (values) => values.filter((value) => Number.isFinite(value));
  const number = (value) => window.HDB.statistics.number(value);

  // Parts of several phases as one line: [x], [y], with a gap between them.
  class Line {
    constructor() { Object.assign(this, { x: [], y: [], words: [], dots: [] }); }

    add(x, y, words) {
      x.forEach((at, k) => {
        if (x.length <= FEW) this.dots.push(this.x.length);
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

  // The traces of a line; a part of few points has them as dots as well, or one alone were unseen.
  // `silent` lines say nothing to the pointer, where another one speaks for them.
  function lines(of, colour, meta, style = {}, silent = false) {
    const said = silent ? { hoverinfo: "skip" } : { hovertemplate: "%{customdata}<extra></extra>" };
    const trace = { type: "scatter", meta, ...said };
    const made = [{
      ...trace, mode: "lines", x: of.x, y: of.y, customdata: of.words, connectgaps: false,
      line: { color: colour, width: 1.6, ...style },
    }];
    const picked = (values) => of.dots.map((k) => values[k]);
    if (of.dots.length) {
      made.push({ ...trace, hoverinfo: "skip", hovertemplate: null, mode: "markers", x: picked(of.x), y: picked(of.y), customdata: picked(of.words),
        marker: { color: colour, size: 5 } });
    }
    return made;
  }
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
    return { type: "log", range: [Math.log10(low), Math.log10(high * 1.4)], floor: low };
  }

  // The ticks of a logarithmic axis `room` pixels high: full numbers, as in all figures, and as many as
  // do not touch.
  function ticksOf({ type, range: [low, high] }, room) {
    if (type !== "log") return {};
    const apart = (ticks) => ticks.every((tick, k) =>
      !k || (room * Math.log10(tick / ticks[k - 1])) / (high - low) >= TICK);
    const inside = (steps, every) => {
      const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, k) => Math.floor(low) + k);
      return powers.filter((power) => power % every === 0)
        .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
        .filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
    };
    const finest = window.HDB.tickSteps.map((steps) => inside(steps, 1)).find(apart);
    const ticks = finest || inside([1], Math.ceil((TICK * (high - low)) / room));
    return { tickvals: ticks, ticktext: ticks.map(plain) };
  }
  const plain = (tick) => (tick < 1000 ? `${tick}` : window.HDB.statistics.whole(tick));
  const onto = (floor) => (value) => (value === null ? null : Math.max(value, floor));

  window.HDB.insideLines = { escaped, label, known, number, Line, Band, lines, band, axisOf, ticksOf, onto };
})();
