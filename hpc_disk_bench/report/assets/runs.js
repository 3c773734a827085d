// The runs behind the page and which of them are shown: the filters, their state in the address, and
// the line that says so. Figures and tables listen to the event hdb-filter and ask HDB.runs.
(function () {
  "use strict";
  const FACETS = [
    ["cluster", "Cluster"], ["node", "Node"], ["type", "Storage type"], ["volume", "Volume"],
    ["device", "Device"], ["engine", "Engine"],
  ];
  const chosen = new Map();  // facet -> Set of values; from, to: a date; valid: "1"
  let store, shown, bar;

  const text = (field, run) => store.names[field].values[store.names[field].of[run]];
  const filtered = () => chosen.size > 0;

  function fits(run) {
    for (const [facet] of FACETS) {
      if (chosen.has(facet) && !chosen.get(facet).has(text(facet, run))) return false;
    }
    const day = store.day[run];
    if (chosen.has("from") && !(day && day >= chosen.get("from"))) return false;
    if (chosen.has("to") && !(day && day <= chosen.get("to"))) return false;
    return !chosen.has("valid") || store.counts[run] === 1;
  }

  function apply() {
    shown = store.counts.map((_, run) => fits(run));
    if (filtered()) document.documentElement.dataset.hdbFiltered = "yes";
    else delete document.documentElement.dataset.hdbFiltered;
    describe();
    document.dispatchEvent(new CustomEvent("hdb-filter"));
  }

  // The address: the place in the page, then what is chosen, so that a link shows the same.
  function read() {
    const [place, query = ""] = window.location.hash.slice(1).split("?");
    if (!window.location.hash.includes("?")) return place;
    chosen.clear();
    const given = new URLSearchParams(query);
    for (const [facet] of FACETS) {
      const known = given.getAll(facet).filter((one) => store.names[facet].values.includes(one));
      if (known.length) chosen.set(facet, new Set(known));
    }
    for (const name of ["from", "to"]) {
      if (/^\d{4}-\d\d-\d\d$/.test(given.get(name) || "")) chosen.set(name, given.get(name));
    }
    if (given.get("valid") === "1") chosen.set("valid", "1");
    return place;
  }

  function write() {
    const query = new URLSearchParams();
    for (const [name, value] of chosen) {
      for (const one of typeof value === "string" ? [value] : value) query.append(name, one);
    }
    const place = window.location.hash.slice(1).split("?")[0];
    const hash = filtered() ? `#${place}?${query}` : place ? `#${place}` : " ";
    try { window.history.replaceState(null, "", hash); } catch { /* the page works without */ }
  }

  function change() {
    write();
    apply();
  }

  function words() {
    const parts = FACETS.filter(([facet]) => chosen.has(facet)).map(([facet, title]) =>
      `${title.toLowerCase()} ${[...chosen.get(facet)].map((one) => one || "(none)").join(" or ")}`);
    if (chosen.has("from")) parts.push(`from ${chosen.get("from")}`);
    if (chosen.has("to")) parts.push(`to ${chosen.get("to")}`);
    if (chosen.has("valid")) parts.push("only runs that count");
    return parts.join(", ");
  }

  function describe() {
    const all = shown.length, now = shown.filter(Boolean).length;
    bar.querySelector(".hdb-shown").textContent = filtered()
      ? `Showing ${now} of ${all} runs: ${words()}` : `Showing all ${all} runs`;
    bar.querySelector(".hdb-reset").hidden = !filtered();
    for (const box of bar.querySelectorAll("input")) {
      if (box.type === "date") box.value = chosen.get(box.name) || "";
      else if (box.name === "valid") box.checked = chosen.has("valid");
      else box.checked = chosen.get(box.name)?.has(box.value) || false;
    }
    for (const [facet, title] of FACETS) {
      const summary = bar.querySelector(`[data-facet="${facet}"] > summary`);
      const count = chosen.get(facet)?.size;
      if (summary) summary.textContent = count ? `${title} (${count})` : title;
    }
  }

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  function facet(name, title) {
    const { values, of } = store.names[name];
    if (values.length < 2) return null;
    const order = values.toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    const choices = order.map((value) => {
      const box = element("input", { type: "checkbox", name, value });
      box.addEventListener("change", () => {
        const set = chosen.get(name) || new Set();
        if (box.checked) set.add(value);
        else set.delete(value);
        if (set.size) chosen.set(name, set);
        else chosen.delete(name);
        change();
      });
      const amount = of.filter((one) => values[one] === value).length;
      return element("label", {}, box, ` ${value || "(none)"} `, element("small", {}, `${amount}`));
    });
    const list = element("fieldset", {}, element("legend", { className: "hdb-sr" }, title), ...choices);
    const made = element("details", { className: "hdb-facet" }, element("summary", {}, title), list);
    made.dataset.facet = name;
    return made;
  }

  function day(name, title) {
    const days = store.day.filter(Boolean).sort();
    if (!days.length) return null;
    const box = element("input", { type: "date", name, min: days[0], max: days.at(-1) });
    box.addEventListener("change", () => {
      if (box.value) chosen.set(name, box.value);
      else chosen.delete(name);
      change();
    });
    return element("label", { className: "hdb-choice" }, `${title} `, box);
  }

  function build() {
    const valid = element("input", { type: "checkbox", name: "valid" });
    valid.addEventListener("change", () => {
      if (valid.checked) chosen.set("valid", "1");
      else chosen.delete("valid");
      change();
    });
    const reset = element("button", {
      type: "button", className: "hdb-button hdb-reset", textContent: "Show all",
    });
    reset.addEventListener("click", () => {
      chosen.clear();
      change();
      bar.querySelector("summary").focus();
    });
    const choices = [
      ...FACETS.map(([name, title]) => facet(name, title)), day("from", "From"), day("to", "To"),
      element("label", { className: "hdb-choice" }, valid, " Only runs that count"),
    ].filter(Boolean);
    const status = element("span", { className: "hdb-shown" });
    status.setAttribute("role", "status");
    const about = "Figures and tables follow, with medians, intervals and ranks of the runs that are"
      + " shown. The first section, captions and recommendations speak of all runs.";
    bar = element("section", { className: "hdb-filter" },
      element("details", { className: "hdb-filterbox" },
        element("summary", {}, element("span", { className: "hdb-filterword" }, "Filter")),
        element("div", { className: "hdb-facets" }, ...choices),
        element("p", { className: "hdb-caption" }, about)),
      status, reset);
    bar.setAttribute("aria-label", "Filter of the whole page");
    // One list is open at a time, and Escape or a click elsewhere closes it.
    const lists = [...bar.querySelectorAll(".hdb-facet")];
    const close = (except) => lists.forEach((one) => { if (one !== except) one.open = false; });
    for (const one of lists) one.addEventListener("toggle", () => { if (one.open) close(one); });
    document.addEventListener("click", (event) => close(event.target.closest?.(".hdb-facet")));
    bar.addEventListener("keydown", (event) => {
      const open = lists.find((one) => one.open);
      if (event.key !== "Escape" || !open) return;
      open.open = false;
      open.querySelector("summary").focus();
    });
    const title = document.getElementById("title-block-header");
    if (title) title.after(bar);
    else document.querySelector("main, body").prepend(bar);
  }

  window.HDB.runs = {
    text,
    filtered,
    get store() { return store; },
    get all() { return [...store.counts.keys()]; },
    isShown: (run) => shown[run],
    counts: (run) => store.counts[run] === 1,
    value: (field, run) => store.numbers[field][run] ?? NaN,
  };

  document.addEventListener("DOMContentLoaded", () => {
    const given = document.getElementById("hdb-runs");
    store = given ? JSON.parse(given.textContent) : null;
    if (!store || !store.counts.length) {
      window.HDB.runs = null;
      return;
    }
    shown = store.counts.map(() => true);
    build();
    const place = read();
    shown = store.counts.map((_, run) => fits(run));
    apply();
    if (filtered() && place) document.getElementById(place)?.scrollIntoView();
    window.addEventListener("hashchange", () => {
      // A link within the page keeps the filter; an address that brings one sets it.
      if (window.location.hash.includes("?")) {
        const target = read();
        apply();
        document.getElementById(target)?.scrollIntoView();
      } else if (filtered()) write();
    });
  });
})();
