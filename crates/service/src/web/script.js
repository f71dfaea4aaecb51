// Makes pages live; every page works without it.
"use strict";
document.documentElement.classList.add("js");

// Announces a line to screen readers.
const speaker = document.createElement("p");
speaker.className = "hidden";
speaker.setAttribute("aria-live", "polite");
document.body.append(speaker);
const say = (text) => { if (speaker.textContent !== text) speaker.textContent = text; };

// Shows times in the reader's time zone.
const localize = (within) => {
  for (const time of within.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) {
      time.title = time.textContent;
      time.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
  }
};

// Refreshes the live parts of a page while a run in them is open.
const watch = (part) => {
  const isOpen = () => part.querySelector("[data-open]") !== null;
  const ask = async () => {
    if (document.hidden) return later();
    try {
      const answer = await fetch(part.dataset.live, { headers: { accept: "text/html" } });
      if (answer.redirected || answer.status === 401) return location.reload();
      if (answer.ok) {
        const text = await answer.text();
        const isElsewhere = !part.contains(document.activeElement);
        if (text !== part.last && isElsewhere) {
          part.last = text;
          part.innerHTML = text;
          localize(part);
          dress(part);
          const balance = part.querySelector("[data-balance]");
          if (balance) document.querySelector(".balance").textContent = balance.dataset.balance;
          const said = part.querySelector("[data-said]");
          if (said) say(said.dataset.said);
          // The notice says that the video is on its way; it is no longer true.
          if (!isOpen()) document.querySelector(".notice")?.remove();
        } else if (!isElsewhere) {
          refreshMeters(part, text);
        }
      }
    } catch { /* The network may come back. */ }
    if (isOpen()) later();
  };
  const later = () => setTimeout(ask, Number(part.dataset.every));
  if (isOpen()) later();
};

// While the focus is inside the part, updates only the meters, until no run is open.
const refreshMeters = (part, text) => {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  if (!fresh.querySelector("[data-open]")) {
    document.activeElement.blur();
    return;
  }
  const pairs = [["progress", (a, b) => { a.value = b.value; }], [".percent", (a, b) => { a.innerHTML = b.innerHTML; }], [".stages", (a, b) => { a.innerHTML = b.innerHTML; }]];
  for (const [selector, move] of pairs) {
    const here = part.querySelectorAll(selector);
    fresh.querySelectorAll(selector).forEach((element, i) => { if (here[i]) move(here[i], element); });
  }
};

// Sets up copy buttons, and confirmations before actions that cannot be undone.
const dress = (within) => {
  for (const button of within.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const label = button.textContent;
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed by the browser";
      }
      say(button.textContent);
      setTimeout(() => { button.textContent = label; }, 1600);
    });
  }
  for (const button of within.querySelectorAll("[data-confirm]")) {
    button.addEventListener("click", (event) => { if (!confirm(button.dataset.confirm)) event.preventDefault(); });
  }
};

// Updates the previews and the estimate of a video's form.
const compose = (form) => {
  const shows = (what) => form.querySelector(`[data-shows="${what}"]`);
  const films = form.querySelectorAll("[data-preview]");
  const box = form.querySelector(".previews");
  const show = () => {
    const format = shows("format")?.value || box.dataset.format;
    const position = shows("position")?.value || box.dataset.position;
    box.classList.toggle("wide", format === "16:9");
    for (const film of films) {
      const name = shows(film.dataset.preview)?.value || film.dataset.default;
      const src = `/preview/${film.dataset.preview}/${encodeURIComponent(name)}?format=${encodeURIComponent(format)}&position=${position}`;
      if (film.getAttribute("src") !== src) {
        film.src = src;
        film.setAttribute("aria-label", `${film.nextElementSibling.textContent}: ${name}`);
      }
    }
  };
  form.addEventListener("change", (event) => { if (event.target.dataset.shows) show(); });

  const told = form.querySelector("[data-told]");
  const call = document.querySelector("[data-call]");
  if (!form.dataset.estimate || !told) return;
  let timer = 0;
  let newest = 0;
  const estimate = async () => {
    const mine = ++newest;
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.dataset.estimate, { method: "POST", body });
      if (!answer.ok || mine !== newest) return;
      const said = await answer.json();
      if (told.textContent !== said.told) told.textContent = said.told;
      if (call) call.textContent = said.call;
    } catch { /* The form can be sent without it. */ }
  };
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(estimate, 400); });
  estimate();
};

// Keeps the typed values of a video's form, to restore them after signing in if the session has ended.
const TYPED = "typed";
const keepTyped = (form) => {
  const action = form.getAttribute("action");
  form.addEventListener("submit", () => {
    const fields = [...new FormData(form)].filter(([name]) => name !== "csrf" && name !== "nonce");
    sessionStorage.setItem(TYPED, JSON.stringify({ action, fields }));
  });
  const kept = JSON.parse(sessionStorage.getItem(TYPED));
  const isBack = document.referrer && new URL(document.referrer).pathname === "/sign-in";
  if (!kept || !isBack || kept.action !== action) return;
  for (const field of form.elements) {
    const values = kept.fields.filter(([name]) => name === field.name).map(([, value]) => value);
    if (field.type === "checkbox") field.checked = values.includes(field.value);
    else if (field.type !== "hidden" && values.length) field.value = values[0];
  }
  // Updates the previews after their listeners are set up.
  setTimeout(() => form.querySelector("[data-shows]")?.dispatchEvent(new Event("change", { bubbles: true })));
};

// Adds a sample button to the voice field; only listed voices have samples.
const samples = (field) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Hear it";
  const show = () => { button.hidden = ![...field.list?.options ?? []].some((row) => row.value === field.value); };
  field.addEventListener("input", show);
  field.addEventListener("change", show);
  show();
  button.addEventListener("click", async () => {
    const sound = new Audio(`/voices/${encodeURIComponent(field.value)}/sample.wav`);
    try {
      await sound.play();
    } catch {
      say("This voice has no sample on this server");
      button.textContent = "No sample here";
      setTimeout(() => { button.textContent = "Hear it"; }, 1600);
    }
  });
  field.after(button);
};

localize(document);
dress(document);
document.querySelectorAll("[data-live]").forEach(watch);
document.querySelectorAll("form[data-estimate]").forEach(keepTyped);
if (location.pathname !== "/sign-in") sessionStorage.removeItem(TYPED);
document.querySelectorAll("form.composer").forEach(compose);
document.querySelectorAll('[data-shows="voice"]').forEach(samples);
if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
  document.querySelectorAll("[data-preview]").forEach((film) => { film.autoplay = false; film.pause(); film.controls = true; });
}
document.querySelector(".summary")?.focus();
