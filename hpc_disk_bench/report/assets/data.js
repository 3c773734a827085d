// The numbers of a figure as a table, made when a reader opens it: for who cannot see the figure, and
// for who wants its numbers. It follows the filter as the figure does.
(function () {
  "use strict";

  function plain(html) {
    const box = new DOMParser().parseFromString(String(html ?? "").replaceAll("<br>", "; "), "text/html");
    return box.body.textContent;
  }

  const axisOf = (layout, name, letter) =>
    layout[(name || letter).replace(letter, `${letter}axis`)] || {};

  // What an axis calls a position: the name of its row or column, or the number itself.
  function called(axis, value) {
    const at = (axis.tickvals || []).indexOf(axis.type === "log" ? NaN : Math.round(value));
    return at >= 0 && axis.ticktext ? plain(axis.ticktext[at]) : value;
  }

  function panels(layout) {
    return (layout.annotations || []).filter((note) => note.name === "panel").map((n) => plain(n.text));
  }

  function rows({ data, layout }) {
    const found = [], titles = panels(layout);
    for (const trace of data) {
      if (["not ranked", "equal scores"].includes(trace.meta) || trace.visible === false) continue;
      const panel = titles[trace.xaxis ? Number(trace.xaxis.slice(1) || 1) - 1 : 0] || "";
      const words = (k) => plain([trace.customdata?.[k]].flat()[0]);
      if (trace.z) {
        trace.z.forEach((line, row) => line.forEach((_, column) => {
          const said = trace.customdata[row][column];
          if (said) found.push(["", trace.meta, called(layout.yaxis, row), trace.text[row][column],
            plain(said)]);
        }));
        continue;
      }
      const yaxis = axisOf(layout, trace.yaxis, "y");
      trace.x.forEach((x, k) => {
        if (x === null) return;
        const y = called(yaxis, trace.y[k]);
        found.push([panel, trace.name ? plain(trace.name) : trace.meta, y, x, words(k)]);
      });
    }
    return found;
  }

  function table(figure) {
    const name = `${figure.place.id.replace("plot-", "")}-figure`;
    const heads = ["panel", "what", "row, or vertical value", "value", "in words"];
    const all = rows(figure);
    const used = heads.map((_, column) => all.some((row) => row[column] !== ""));
    const made = document.createElement("table");
    made.className = "hdb-table";
    Object.assign(made.dataset, { page: "15", name });
    made.setAttribute("aria-label", `Numbers of the figure: ${figure.place.getAttribute("aria-label")}`);
    const head = made.createTHead().insertRow();
    heads.forEach((title, column) => {
      if (!used[column]) return;
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = title;
      if (column === 3) cell.className = "hdb-number";
      head.append(cell);
    });
    const body = made.createTBody();
    for (const row of all) {
      const line = body.insertRow();
      row.forEach((value, column) => {
        if (!used[column]) return;
        const cell = line.insertCell();
        const number = typeof value === "number";
        cell.textContent = number ? window.HDB.statistics.number(value) : value;
        if (number) cell.dataset.v = String(value);
        if (column === 3) cell.className = "hdb-number";
        if (column === 4) cell.className = "hdb-long";
      });
    }
    return made;
  }

  // Adds the table to a figure {place, data, layout}; it is made when it is opened.
  window.HDB.dataTable = (figure) => {
    const box = document.createElement("details");
    box.className = "hdb-data";
    box.innerHTML = "<summary>The numbers of this figure</summary>";
    const fill = () => {
      box.querySelector(".hdb-tablebox")?.remove();
      if (!box.open || !figure.data) return;
      const frame = document.createElement("div");
      frame.className = "hdb-tablebox";
      const scroll = document.createElement("div");
      scroll.className = "hdb-scroll";
      scroll.tabIndex = 0;
      const made = table(figure);
      scroll.append(made);
      frame.append(scroll);
      box.append(frame);
      window.HDB.enhance(made);
    };
    box.addEventListener("toggle", fill);
    figure.place.addEventListener("hdb-drawn", fill);
    figure.place.closest("figure").append(box);
  };
})();
