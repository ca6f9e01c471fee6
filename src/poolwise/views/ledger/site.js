"use strict";
// Tables sort and download as they stand; the search goes through an index that comes with the site.

const root = document.body.dataset.root;
const field = document.querySelector(".filter input");
const list = document.querySelector(".found");
const status = document.querySelector(".shown");
const MOST = 50;

const hits = (words) => INDEX.filter(([name, where]) =>
  words.every((word) => name.toLowerCase().includes(word) || where.toLowerCase().includes(word)));

const entry = ([name, where, path]) => {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const place = document.createElement("small");
  link.href = root + path;
  link.textContent = name;
  place.textContent = where;
  link.append(place);
  item.append(link);
  return item;
};

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? hits(words) : [];
  list.replaceChildren(...found.slice(0, MOST).map(entry));
  list.hidden = !found.length;
  const more = found.length > MOST ? `, the first ${MOST} are listed` : "";
  status.textContent = words.length ? `${found.length} found${more}` : "";
}

let typing;
field.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, 150); });
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  field.value = "";
  search();
});
document.addEventListener("click", (event) => {
  const heading = event.target.closest("th button");
  if (heading) sortBy(heading.closest("th"));
  const button = event.target.closest(".download");
  if (!button) return;
  const table = button.closest(".table");
  save(csvBlob(tableLines(table.querySelector("table"))), table.dataset.name, "csv");
});
