// What kwit's pages do beyond HTML and htmx. All of it is manners: without this
// file the pages work, and what must hold is held by the server.
"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => from.querySelectorAll(selector);
  const on = (name, act) => document.addEventListener(name, act);

  // Theme: as the system says, unless one was chosen here. Set before the first
  // paint, so that nothing flashes.
  const themes = ["auto", "light", "dark"];
  let theme = "auto";
  try { theme = localStorage.getItem("kwit-theme") || "auto"; } catch { /* storage is refused: auto */ }
  const wear = () => theme === "auto" ? delete root.dataset.theme : root.dataset.theme = theme;
  wear();
  const nextTheme = (button) => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("kwit-theme", theme); } catch { /* it holds for this page */ }
    wear();
    button.textContent = "Theme: " + theme;
  };

  // Times, in the words of views/when.go.
  const two = (big, unit, small, smallUnit) => small ? `${big} ${unit} ${small} ${smallUnit}` : `${big} ${unit}`;
  const spanWords = (s) => s < 60 ? `${s} s`
    : s < 600 ? two(Math.floor(s / 60), "min", s % 60, "s")
    : s < 3600 ? `${Math.floor(s / 60)} min`
    : s < 86400 ? two(Math.floor(s / 3600), "h", Math.floor(s % 3600 / 60), "min")
    : two(Math.floor(s / 86400), "d", Math.floor(s % 86400 / 3600), "h");
  const oneUnit = (s) => s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)} min`
    : s < 86400 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86400)} d`;
  const agoWords = (s) => s <= -1 ? "in " + oneUnit(-s) : s < 5 ? "just now" : oneUnit(s) + " ago";
  const soonWords = (s) => s <= -1 ? "in " + oneUnit(-s) : "any moment now";
  const clockWords = (at) => at.toDateString() === new Date().toDateString() ? at.toLocaleTimeString("en-GB")
    : at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  // This clock may be wrong: what counts is how much of it went by since the
  // server said what time it was.
  const drawn = Date.now();
  let serverAhead = 0;
  const tellTimes = (from = document) => {
    for (const el of all("time[data-when]", from)) {
      const at = new Date(el.dateTime);
      const s = Math.trunc((Date.now() + serverAhead - at) / 1000);
      const words = el.dataset.when === "clock" ? clockWords(at) : el.dataset.when === "ago" ? agoWords(s)
        : el.dataset.when === "soon" ? soonWords(s) : spanWords(Math.max(s, 0));
      if (el.textContent !== words) el.textContent = words;
    }
  };

  // Counters of characters: code points, as the server counts them.
  const tellCount = (counter) => {
    const field = document.getElementById(counter.dataset.counts);
    const n = [...field.value.replaceAll("\r\n", "\n")].length, max = Number(counter.dataset.max);
    counter.textContent = `${n.toLocaleString("en")} of ${max.toLocaleString("en")} characters`;
    counter.classList.toggle("over", n > max);
  };

  const copy = async (button) => {
    const from = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(from.value ?? from.textContent);
    const words = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = words; }, 1500);
  };

  // A form is sent once. The key in it is the guard; this spares the second
  // click, and lets go again when one comes back to the page.
  on("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-once]") || event.defaultPrevented) return;
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    setTimeout(() => { for (const b of all("button", form)) b.disabled = true; });
  });
  addEventListener("pageshow", ({ persisted }) => {
    // The page is as it was left: it may have been sent since.
    if (persisted) document.getElementById("sent")?.dispatchEvent(new Event("kwit:again"));
    for (const form of all("[data-sent]")) {
      delete form.dataset.sent;
      for (const b of all("button", form)) b.disabled = false;
    }
  });
  on("click", (event) => {
    const button = event.target.closest?.("[data-copy], [data-theme-toggle]");
    if (button) button.dataset.copy ? copy(button) : nextTheme(button);
  });
  on("input", (event) => {
    if (event.target.id) for (const c of all(`[data-counts="${CSS.escape(event.target.id)}"]`)) tellCount(c);
  });

  // The page that sends a form again by itself.
  const resend = (form) => {
    let left = Number(form.dataset.resend);
    form.querySelector("[data-resend-note]").hidden = false;
    const tick = () => {
      form.querySelector("[data-resend-left]").textContent = left;
      if (left-- > 0) setTimeout(tick, 1000); else form.requestSubmit();
    };
    tick();
  };

  // The live page. The stream brings each change; where it does not get
  // through, and while a picture grows, the page asks.
  let heard = 0; // when the stream last spoke
  const live = () => {
    const ask = () => {
      const job = document.getElementById("job"), grows = Number(job.dataset.refresh);
      const streaming = Date.now() - heard < 60000;
      setTimeout(ask, streaming ? grows || 5000 : Math.min(grows || 5000, 5000));
      if (!document.hidden && (grows || !streaming)) document.getElementById("poll").dispatchEvent(new Event("kwit:poll"));
    };
    setTimeout(ask, 3000);
    for (const name of ["htmx:sse:after:message", "beat"]) on(name, () => { heard = Date.now(); });
    for (const name of ["htmx:sse:error", "htmx:sse:close"]) on(name, () => { heard = 0; });
  };
  const extension = {
    // What was folded out stays so.
    htmx_before_morph_attr: (el, { attrName }) => !(el.tagName === "DETAILS" && attrName === "open"),
    // An answer that is older than what is shown is dropped.
    htmx_before_swap: (el, { tasks }) => {
      const job = document.getElementById("job");
      for (const { fragment } of tasks) {
        const fresh = fragment.querySelector("#job");
        if (!job) continue;
        if (!fresh) return false; // an error, or another page
        if (Number(fresh.dataset.revision) < Number(job.dataset.revision)) return false;
        if (fresh.dataset.state !== job.dataset.state) setTimeout(() => job.classList.add("changed"));
      }
    },
    htmx_after_swap: () => dress(document.getElementById("job") ?? document),
  };

  // What a page, or a part of it that has just come, gets.
  const dress = (from) => {
    tellTimes(from);
    for (const b of all("[data-copy], [data-theme-toggle]", from)) b.hidden = false;
    for (const c of all("[data-counts]", from)) tellCount(c);
  };
  on("DOMContentLoaded", () => {
    const told = document.querySelector("meta[name=now]");
    if (told) serverAhead = new Date(told.content) - drawn;
    for (const b of all("[data-theme-toggle]")) b.textContent = "Theme: " + theme;
    dress(document);
    setInterval(tellTimes, 1000);
    for (const form of all("[data-resend]")) resend(form);
    if (!window.htmx) return;
    htmx.registerExtension("kwit", extension);
    if (document.getElementById("live")) live();
  });
})();
