// The page's own behaviour: contents that follow the reader, and tabs. Without it all of it still reads.
(function () {
  "use strict";

  function contents(list) {
    const details = list.querySelector("details");
    const narrow = window.matchMedia("(max-width: 62rem)");
    const links = [...list.querySelectorAll("a")];
    const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
    let current = null;

    function fold() {
      details.open = !narrow.matches;
    }

    // The section being read is the last whose heading has passed the upper quarter of the window.
    function follow() {
      const limit = window.innerHeight / 4;
      const ended = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2;
      let found = ended && window.scrollY > 0 ? targets.length - 1 : -1;
      for (let k = 0; k < targets.length && found < targets.length - 1; k += 1) {
        if (targets[k] && targets[k].getBoundingClientRect().top <= limit) found = k;
      }
      const link = links[Math.max(found, 0)];
      if (!link || link === current) return;
      if (current) current.removeAttribute("aria-current");
      link.setAttribute("aria-current", "location");
      current = link;
      if (!narrow.matches && list.scrollHeight > list.clientHeight) {
        const top = link.offsetTop - list.clientHeight / 2;
        list.scrollTo({ top });
      }
    }

    let waiting = false;
    function later() {
      if (waiting) return;
      waiting = true;
      window.requestAnimationFrame(() => {
        waiting = false;
        follow();
      });
    }

    fold();
    follow();
    narrow.addEventListener("change", fold);
    window.addEventListener("scroll", later, { passive: true });
    window.addEventListener("resize", later);
    list.addEventListener("click", (event) => {
      if (event.target.closest("a")) fold();
    });
  }

  function tabset(set) {
    const tabs = [...set.querySelectorAll(":scope > [role=tablist] > [role=tab]")];

    function select(tab) {
      for (const one of tabs) {
        const chosen = one === tab;
        one.setAttribute("aria-selected", String(chosen));
        one.tabIndex = chosen ? 0 : -1;
        document.getElementById(one.getAttribute("aria-controls")).hidden = !chosen;
      }
      // A figure drawn while hidden has no size yet.
      window.dispatchEvent(new Event("resize"));
    }

    for (const tab of tabs) {
      tab.addEventListener("click", () => select(tab));
      tab.addEventListener("keydown", (event) => {
        const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.indexOf(tab), End: -1 - tabs.indexOf(tab) };
        if (!(event.key in steps)) return;
        event.preventDefault();
        const next = tabs[(tabs.indexOf(tab) + steps[event.key] + tabs.length) % tabs.length];
        select(next);
        next.focus();
      });
    }
    if (tabs.length) select(tabs[0]);
  }

  const list = document.getElementById("TOC");
  if (list) contents(list);
  for (const set of document.querySelectorAll(".panel-tabset")) tabset(set);
})();
