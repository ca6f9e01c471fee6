"use strict";
// Tables that sort and download as they stand: for the report, and for the site of a ledger.

// A run called "constructor" or "__proto__" has a mark that nobody sees: see page.js.
const UNSEEN = "\u2060";
const plain = (name) => name.replace(UNSEEN, "");

// ---- tables

const keyOf = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.key ?? cell.textContent.trim();
  if (text === "" || text === "–" || text === "nan") return null;
  const number = Number(text.replace("−", "-").replace(/,/g, ""));
  return Number.isNaN(number) ? text : number;
};

const compare = (a, b) =>
  typeof a === "number" && typeof b === "number"
    ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });

function sortBy(heading) {
  const table = heading.closest("table");
  const column = heading.cellIndex;
  const rows = [...table.tBodies[0].rows];
  const before = heading.getAttribute("aria-sort");
  const numbers = rows.some((row) => typeof keyOf(row, column) === "number");
  const down = before ? before === "ascending" : numbers && column > 0;
  const empty = (key) => key === null;
  const keyed = rows.map((row) => [keyOf(row, column), row]);
  keyed.sort(([a], [b]) =>
    empty(a) || empty(b) ? empty(a) - empty(b) : (down ? -1 : 1) * compare(a, b));
  table.tBodies[0].append(...keyed.map(([, row]) => row));
  table.querySelectorAll("th").forEach((th) => th.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.classList.toggle("resorted", column !== 0);
}

// ---- their text

const quoted = (value) => {
  const text = value === null || value === undefined ? "" : plain(String(value));
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};

const tableLines = (table) => {
  const kept = [...table.tHead.rows[0].cells].map((th) => !th.querySelector(".axis"));
  return [...table.rows].map((row) =>
    [...row.cells].filter((_, c) => kept[c]).map((cell) => cell.textContent.trim()));
};

const csvBlob = (lines) => {
  const text = lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n";
  return new Blob([text], { type: "text/csv" });
};

function save(blob, name, form) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name.replace(/[^\w.@-]+/g, "_")}.${form}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
