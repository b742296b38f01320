"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const items = [...document.querySelectorAll(".item")];
  const sections = [...document.querySelectorAll("main > section")].filter((it) => it.querySelector(".item"));
  const filter = document.querySelector(".filter");
  const texts = new Map();
  // what an item says is looked at once, and only if somebody asks
  const textOf = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };

  const kinds = new Set(items.map((it) => it.dataset.kind));
  for (const kind of [...kinds].sort()) $("kind").append(new Option(kind, kind));

  const apply = () => {
    const file = $("file").value.trim().toLowerCase();
    const kind = $("kind").value;
    const text = $("text").value.trim().toLowerCase();
    let shown = 0;
    for (const item of items) {
      const fits = (!kind || item.dataset.kind === kind)
        && (!file || item.dataset.file.toLowerCase().includes(file))
        && (!text || textOf(item).includes(text));
      if (item.hidden === fits) item.hidden = !fits;
      shown += fits;
    }
    for (const section of sections) section.hidden = !section.querySelector(".item:not([hidden])");
    $("shown").textContent = `${shown} of ${items.length} shown`;
  };
  let timer;
  filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 80); });
  filter.addEventListener("submit", (event) => event.preventDefault());

  const fold = (open) => { for (const item of items) if (!item.hidden) item.open = open; };
  $("open").addEventListener("click", () => fold(true));
  $("fold").addEventListener("click", () => fold(false));

  const go = (step) => {
    const seen = items.filter((it) => !it.hidden);
    const at = seen.indexOf(document.activeElement.closest(".item"));
    const next = seen[at < 0 ? (step > 0 ? 0 : seen.length - 1) : at + step];
    if (!next) return;
    const summary = next.querySelector("summary");
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "start" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "j") go(1);
    else if (event.key === "k") go(-1);
    else if (event.key === "/") $("text").focus();
    else return;
    event.preventDefault();
  });

  for (const rule of document.querySelectorAll(".rule")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy the rule";
    rule.append(button);
  }
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const text = button.parentElement.querySelector("pre");
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: copy it with the keyboard";
    }
  });

  filter.hidden = items.length === 0;
  apply();
})();
