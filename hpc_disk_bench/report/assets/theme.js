// Light or dark: the reader's choice, else the system's. Runs in the head, before anything is drawn.
(function () {
  "use strict";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  // A page opened from a file may be denied storage; the choice then lasts as long as the page.
  function remembered() {
    try { return window.localStorage.getItem("hdb-theme"); } catch { return null; }
  }
  function remember(theme) {
    try { window.localStorage.setItem("hdb-theme", theme); } catch { /* lasts as long as the page */ }
  }
  function set(theme) {
    root.dataset.hdbTheme = theme;
    root.dataset.bsTheme = theme;
    document.dispatchEvent(new CustomEvent("hdb-theme"));
    const button = document.getElementById("hdb-theme");
    if (button) {
      button.textContent = theme === "dark" ? "Light theme" : "Dark theme";
    }
  }

  set(remembered() || (system.matches ? "dark" : "light"));
  system.addEventListener("change", (event) => {
    if (!remembered()) set(event.matches ? "dark" : "light");
  });
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.createElement("button");
    button.type = "button";
    button.id = "hdb-theme";
    button.className = "hdb-button";
    document.body.prepend(button);
    button.addEventListener("click", () => {
      const theme = root.dataset.hdbTheme === "dark" ? "light" : "dark";
      remember(theme);
      set(theme);
    });
    set(root.dataset.hdbTheme);
  });
})();
