// Makes pages live; every page does without it.
"use strict";
document.documentElement.classList.add("js");

// Says a line to screen readers.
const speaker = document.createElement("p");
speaker.className = "hidden";
speaker.setAttribute("aria-live", "polite");
document.body.append(speaker);
const say = (text) => { if (speaker.textContent !== text) speaker.textContent = text; };

// Times in the reader's own zone.
const localize = (within) => {
  for (const time of within.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) {
      time.title = time.textContent;
      time.textContent = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    }
  }
};

// Parts of a page that change: asked for again while there is something to wait for.
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
          // What was on its way has come.
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

// Where the reader is inside the part, only numbers move, until it has ended.
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

// Buttons that copy, and questions before what cannot be undone.
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

// The form of a video: what it will look like and what it will take.
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

// What was typed into a video's form, for when its session turns out to have ended: it is back after signing in.
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
  // The previews follow, once they listen.
  setTimeout(() => form.querySelector("[data-shows]")?.dispatchEvent(new Event("change", { bubbles: true })));
};

// A voice's sample, where the field of voices is: only those of the list have one.
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
