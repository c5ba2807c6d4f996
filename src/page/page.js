"use strict";
(() => {
  const all = (what, from = document) => [...from.querySelectorAll(what)];
  document.documentElement.classList.add("js");
  // Subagents stand behind the call that started them.
  for (const sub of all("[data-parent]")) {
    const call = document.querySelector(`[data-call="${CSS.escape(sub.dataset.parent)}"]`);
    if (!call || sub.contains(call)) continue;
    const fold = document.createElement("details");
    const title = document.createElement("summary");
    title.textContent = "Subagent";
    fold.append(title, sub);
    call.append(fold);
  }
  const open = (element) => {
    for (let at = element; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  const show = (element) => { open(element); element.scrollIntoView({ block: "center" }); };
  const jump = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) show(target);
  };
  addEventListener("hashchange", jump);
  jump();
  const box = document.getElementById("search");
  const count = document.getElementById("found");
  let hits = [], now = -1;
  const go = (step) => {
    if (!hits.length) return;
    if (now >= 0) hits[now].classList.remove("now");
    now = (now + step + hits.length) % hits.length;
    hits[now].classList.add("now");
    count.textContent = `${now + 1} of ${hits.length}`;
    show(hits[now]);
  };
  const search = () => {
    for (const hit of hits) hit.classList.remove("hit", "now");
    const wanted = box.value.trim().toLowerCase();
    hits = wanted ? all(".entry, .request").filter((one) => one.textContent.toLowerCase().includes(wanted)) : [];
    now = -1;
    for (const hit of hits) hit.classList.add("hit");
    count.textContent = wanted ? `${hits.length} found` : "";
  };
  let wait;
  box.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(search, 150); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { search(); go(event.shiftKey ? -1 : 1); event.preventDefault(); }
    if (event.key === "Escape") box.blur();
  });
  const fold = (state) => all("main details").forEach((one) => { one.open = state; });
  const move = (step) => {
    const list = all(".entry, .request").filter((one) => one.offsetParent);
    const edge = 80;
    const at = list.findIndex((one) => one.getBoundingClientRect().top > edge + 2);
    const to = step > 0 ? at : (at < 0 ? list.length : at) - 2;
    const next = list[Math.max(0, to)];
    if (next && (step < 0 || at >= 0)) scrollBy(0, next.getBoundingClientRect().top - edge);
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input[type=search], textarea")) return;
    const act = { "/": () => box.focus(), n: () => go(1), N: () => go(-1), j: () => move(1), k: () => move(-1), e: () => fold(true), c: () => fold(false) }[event.key];
    if (act) { act(); event.preventDefault(); }
  });
})();
