// Tables that sort, search, page and export: the rows are in the page, this only arranges them.
(function () {
  "use strict";

  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function raw(cell) {
    return cell.dataset.v ?? cell.textContent;
  }

  // Numbers by size, words as people sort them (node2 before node10), missing values last either way.
  function compare(a, b, numeric, direction) {
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = numeric ? Number(a) - Number(b)
      : a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" });
    return direction * order;
  }

  function csv(rows) {
    const quoted = (text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    return rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
  }

  function download(name, text) {
    const link = element("a", {
      href: URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" })),
      download: name,
    });
    document.body.append(link);
    link.click();
    link.remove();
    window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function enhance(table) {
    const box = table.closest(".hdb-tablebox");
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const titles = heads.map((head) => head.textContent);
    // What rows hold is read when it is asked for: a raw table has a hundred thousand cells.
    const rows = [...body.rows].map((row) => ({
      row,
      get values() { return [...row.cells].map(raw); },
      get text() { return this.words ??= row.textContent.toLowerCase(); },
    }));
    const size = Number(table.dataset.page) || rows.length;
    let found = rows;
    let page = 0;
    let all = false;

    const status = element("span", { className: "hdb-status", role: "status" });
    const tools = element("div", { className: "hdb-tools" });
    const search = element("input", {
      type: "search", placeholder: "Search", className: "hdb-search",
    });
    search.setAttribute("aria-label", `Search in ${titles.join(", ").slice(0, 80)}`);
    const previous = element("button", { type: "button", className: "hdb-button", textContent: "‹" });
    previous.setAttribute("aria-label", "Previous rows");
    const next = element("button", { type: "button", className: "hdb-button", textContent: "›" });
    next.setAttribute("aria-label", "Next rows");
    const whole = element("button", { type: "button", className: "hdb-button hdb-all" });
    const save = element("button", {
      type: "button", className: "hdb-button hdb-csv", textContent: "CSV",
      title: "Download the rows that are found, in this order, with all digits",
    });

    function show() {
      const last = Math.max(0, Math.ceil(found.length / size) - 1);
      page = Math.min(page, last);
      const from = all ? 0 : page * size;
      const to = all ? found.length : Math.min(found.length, from + size);
      const shown = new Set(found.slice(from, to));
      for (const one of rows) one.row.hidden = !shown.has(one);
      const paged = found.length > size;
      for (const button of [previous, next]) button.hidden = !paged || all;
      previous.disabled = page === 0;
      next.disabled = page === last;
      whole.hidden = !paged;
      whole.textContent = all ? `In pages of ${size}` : `All ${found.length}`;
      const range = paged && !all ? `${from + 1}–${to} of ${found.length}` : `${found.length}`;
      const of = found.length === rows.length ? "" : ` (of ${rows.length})`;
      status.textContent = `${range} ${rows.length === 1 ? "row" : "rows"}${of}`;
    }

    function sort(column) {
      const head = heads[column];
      const direction = head.ariaSort === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      const numeric = head.classList.contains("hdb-number");
      for (const one of rows) one.key = raw(one.row.cells[column]);
      rows.sort((a, b) => compare(a.key, b.key, numeric, direction));
      body.append(...rows.map((one) => one.row));
      filter();
    }

    function filter() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      found = rows.filter((one) => !one.without && words.every((word) => one.text.includes(word)));
      show();
    }

    // What the page's filter leaves: rows without a run go, what is computed of several is computed
    // again. With everything shown the page is as it was rendered.
    const ways = heads.map((head) => head.dataset.derive && JSON.parse(head.dataset.derive));
    function follow() {
      for (const one of rows) {
        if (one.row.dataset.runs === undefined) continue;
        const own = window.HDB.cells.behind(one.row);
        one.without = own.length === 0;
        if (!one.without && ways.some(Boolean)) recompute(one, own);
      }
      page = 0;
      filter();
    }

    function recompute(one, own) {
      const runs = window.HDB.runs;
      one.before ??= one.row.cloneNode(true);
      const before = runs.filtered() ? null : [...one.before.cloneNode(true).cells];
      ways.forEach((how, column) => {
        if (!how) return;
        const cell = one.row.cells[column];
        if (before) {
          cell.replaceChildren(...before[column].childNodes);
          setRaw(cell, before[column].dataset.v);
        } else write(cell, window.HDB.cells.computed(one.row, own, how, table.dataset.used));
      });
      if (table.dataset.used === "best") {
        one.row.classList.toggle("hdb-muted", !own.some(runs.counts));
      }
      one.words = null;
    }

    function setRaw(cell, value) {
      if (value === undefined) delete cell.dataset.v;
      else cell.dataset.v = value;
    }

    function write(cell, { value, shown, badge }) {
      const missing = typeof value === "number" && !Number.isFinite(value);
      setRaw(cell, missing ? "" : String(value));
      cell.textContent = badge ? "" : shown;
      if (badge) cell.append(element("span", { className: `hdb-badge hdb-${badge[0]}` }, badge[1]));
    }

    heads.forEach((head, column) => {
      const button = element("button", { type: "button", className: "hdb-sort" });
      const arrow = element("span", { className: "hdb-arrow" });
      arrow.setAttribute("aria-hidden", "true");
      button.append(...head.childNodes, arrow);
      head.append(button);
      button.addEventListener("click", () => sort(column));
    });
    search.addEventListener("input", () => { page = 0; filter(); });
    previous.addEventListener("click", () => { page -= 1; show(); });
    next.addEventListener("click", () => { page += 1; show(); });
    whole.addEventListener("click", () => { all = !all; show(); });
    save.addEventListener("click", () => {
      download(`${table.dataset.name}.csv`, csv([titles, ...found.map((one) => one.values)]));
    });

    if (table.dataset.search) tools.append(search);
    tools.append(status, previous, next, whole, save);
    box.insertBefore(tools, table.closest(".hdb-scroll"));
    if (ways.some(Boolean) || rows.some((one) => one.row.dataset.runs !== undefined)) {
      document.addEventListener("hdb-filter", follow);
    }
    if (window.HDB.runs?.filtered()) follow();
    else show();
  }

  // A table made in the page, below `place`. heads: [title, numeric?]; a cell is a text, or {shown,
  // value: as it is sorted, badge, long}.
  function tableInto(place, name, label, heads, rows) {
    const made = element("table", { className: "hdb-table hdb-wrap" });
    Object.assign(made.dataset, { name, page: "40" });
    made.setAttribute("aria-label", label);
    const head = made.createTHead().insertRow();
    for (const [title, numeric] of heads) {
      head.append(element("th", { scope: "col", className: numeric ? "hdb-number" : "" }, title));
    }
    const body = made.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((cell, k) => {
        const { shown = cell, value, badge, long } = cell;
        const className = heads[k][1] ? "hdb-number" : long ? "hdb-long" : "";
        const content = badge ? element("span", { className: `hdb-badge hdb-${badge}` }, shown) : shown;
        const one = element("td", { className }, content);
        if (value !== undefined) one.dataset.v = Number.isNaN(value) ? "" : String(value);
        line.append(one);
      });
    }
    place.append(element("div", { className: "hdb-tablebox" },
      element("div", { className: "hdb-scroll", tabIndex: 0 }, made)));
    enhance(made);
  }

  Object.assign(window.HDB, { enhance, element, tableInto });

  document.addEventListener("DOMContentLoaded", () => {
    for (const table of document.querySelectorAll("table.hdb-table")) enhance(table);
  });
})();
