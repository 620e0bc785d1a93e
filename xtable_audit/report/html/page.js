"use strict";
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const field = (id) => document.getElementById(id);
  const sections = [...document.querySelectorAll("section.effect")];
  const all = [...document.querySelectorAll("details.finding")].map((of) => ({ of, home: of.parentElement, text: of.textContent.toLowerCase() }));
  const shown = field("shown");
  const sorted = () => {
    const by = field("sort").value;
    if (!by) return all;
    const number = (one) => -Number(one.of.dataset[by]);
    return [...all].sort((a, b) => (by === "name" ? a.of.dataset.name.localeCompare(b.of.dataset.name) : number(a) - number(b)));
  };
  const place = () => {
    const flat = Boolean(field("sort").value);
    for (const one of sorted()) (flat ? field("groups") : one.home).append(one.of);
  };
  const filter = () => {
    const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const effect = field("by-effect").value, owner = field("by-owner").value;
    let left = 0;
    for (const { of, text } of all) {
      const fits = (!effect || of.dataset.effect === effect) && (!owner || of.dataset.owner === owner) && words.every((word) => text.includes(word));
      of.hidden = !fits;
      left += fits;
    }
    const flat = Boolean(field("sort").value);
    for (const section of sections) section.hidden = flat || !section.querySelector("details.finding:not([hidden])");
    shown.textContent = `${left} of ${all.length}`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const kind of ["input", "change"]) form.addEventListener(kind, () => { place(); filter(); });
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const finding = target && target.closest("details.finding");
    if (!finding) return;
    if (finding.hidden) { form.reset(); place(); filter(); }
    if (target !== finding) { finding.open = true; finding.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => all.forEach(({ of }) => { of.open = true; }));
  filter();
  open();
})();
