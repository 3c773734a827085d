// Draws the figures: those in view first, the others when the browser has time, all before printing.
(function () {
  "use strict";
  const NARROW = 640;
  const PAPER = 680;  // pixels between the margins of A4 and of letter
  const config = {
    responsive: true,
    displaylogo: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    toImageButtonOptions: { format: "svg" },
  };
  const dark = new Map(window.HDB.pairs);
  const figures = [];

  // A figure's colours are those of the light theme; each has its counterpart in the dark one.
  function coloured(value, theme) {
    if (theme !== "dark") return structuredClone(value);
    if (typeof value === "string") return dark.get(value) || value;
    if (Array.isArray(value)) return value.map((item) => coloured(item, theme));
    if (value && typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, coloured(item, theme)]));
    }
    return value;
  }

  // Texts that occur many times stand in a figure once: {t: [numbers]} is a list of them.
  function written(value, texts) {
    if (Array.isArray(value)) return value.map((item) => written(item, texts));
    if (!value || typeof value !== "object") return value;
    if (value.t && Object.keys(value).length === 1) return value.t.map((k) => texts[k]);
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, written(item, texts)]));
  }

  const shows = (trace) => trace.visible !== false && trace.meta !== "equal scores"
    && (trace.x?.length > 0 || trace.z?.length > 0);

  // Where the filter leaves no run of a figure, a sentence stands in its place.
  function empty(figure, is) {
    const whole = figure.place.closest("figure");
    figure.sentence ??= window.HDB.element("p", {
      className: "hdb-missing", textContent: "The filter leaves no run for this figure: widen it, or show all runs.",
    });
    if (is) whole.querySelector(".hdb-plotbox").before(figure.sentence);
    else figure.sentence.remove();
    for (const part of whole.querySelectorAll(".hdb-plotbox, .hdb-data")) part.hidden = is;
  }

  function paint(place, data, layout, theme) {
    const whole = { ...layout, template: window.HDB.template };
    place.style.height = `${layout.height}px`;
    window.Plotly.react(place, coloured(data, theme), coloured(whole, theme), config);
  }

  function draw(figure, theme = document.documentElement.dataset.hdbTheme, width = undefined) {
    empty(figure, false);  // what is hidden has no width
    const narrow = figure.spec.narrow && (width || figure.place.clientWidth) < NARROW;
    const height = (narrow && figure.spec.narrowHeight) || figure.spec.height;
    let layout = structuredClone(narrow ? figure.spec.narrow : figure.spec.layout);
    let data = figure.spec.data;
    layout.height = height;
    if (width) layout.width = width;
    layout.annotations ??= [];
    figure.narrow = narrow;
    const all = window.HDB.runs?.filtered()
      ? " This describes all runs; the numbers of those that are shown stand below the figure." : "";
    figure.place.setAttribute("aria-label", figure.alt + all);
    figure.theme = theme;
    try {
      if (window.HDB.runs?.filtered()) data = window.HDB.derive(figure.spec, layout, narrow);
      Object.assign(figure, { data, layout });
      paint(figure.place, data, layout, theme);
      empty(figure, data !== figure.spec.data && !data.some(shows));
    } catch (error) {
      // One figure that fails must not take the others with it.
      figure.place.textContent = `This figure could not be drawn: ${error.message}`;
      console.error(error);
    }
    figure.drawn = true;
    figure.place.dispatchEvent(new CustomEvent("hdb-drawn"));
    const done = figures.filter((one) => one.drawn).length;
    document.documentElement.dataset.hdbFigures = `${done}/${figures.length}`;
  }

  function drawNext() {
    const figure = figures.find((one) => !one.drawn);
    if (!figure) return;
    draw(figure);
    whenIdle(drawNext);
  }

  function whenIdle(work) {
    if (window.requestIdleCallback) window.requestIdleCallback(work, { timeout: 500 });
    else window.setTimeout(work, 20);
  }

  function redraw(theme) {
    for (const figure of figures) if (figure.drawn) draw(figure, theme);
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const script of document.querySelectorAll("script.hdb-spec")) {
      const place = document.getElementById(script.dataset.for);
      // Read when it is drawn: those far below must not keep the first one waiting.
      let spec;
      figures.push({
        place, drawn: false, alt: place.getAttribute("aria-label"),
        get spec() {
          if (!spec) {
            spec = JSON.parse(script.textContent);
            spec.data = written(spec.data, spec.texts);
          }
          return spec;
        },
      });
      window.HDB.dataTable(figures.at(-1));
    }
    document.documentElement.dataset.hdbFigures = `0/${figures.length}`;
    const watch = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const figure = figures.find((one) => one.place === entry.target);
        if (entry.isIntersecting && !figure.drawn) draw(figure);
      }
    }, { rootMargin: "400px" });
    for (const figure of figures) watch.observe(figure.place);
    window.setTimeout(() => whenIdle(drawNext), 300);
  });

  document.addEventListener("hdb-theme", () => redraw());
  // Those in view at once, the others when there is time.
  document.addEventListener("hdb-filter", () => {
    const near = (figure) => {
      const { top, bottom } = figure.place.closest("figure").getBoundingClientRect();
      return bottom > -400 && top < window.innerHeight + 400;
    };
    const waiting = figures.filter((one) => one.drawn);
    for (const figure of waiting) figure.drawn = false;
    for (const figure of waiting.filter(near)) draw(figure);
    whenIdle(drawNext);
  });
  window.addEventListener("resize", () => {
    for (const figure of figures) {
      const { clientWidth } = figure.place, narrow = clientWidth < NARROW;
      if (figure.drawn && clientWidth && figure.spec.narrow && narrow !== figure.narrow) draw(figure);
    }
  });
  window.addEventListener("beforeprint", () => {
    for (const figure of figures) draw(figure, "light", PAPER);
  });
  window.addEventListener("afterprint", () => redraw());

  Object.assign(window.HDB, { paint, PAPER });
})();
