"use strict";
// Charts are drawn when they come near the screen and, one after the other, when nothing else is
// to do; tables sort and download as they stand. All data is in the page.

const MANY = 4000; // rows from which a chart is drawn on a canvas

const rowsOf = (columns) => {
  const names = Object.keys(columns);
  const read = names.map((name) => {
    const column = columns[name];
    return column.codes ? (i) => column.levels[column.codes[i]] : (i) => column[i];
  });
  const first = columns[names[0]] || [];
  const length = (first.codes || first).length;
  return Array.from({ length }, (_, i) =>
    Object.fromEntries(names.map((name, c) => [name, read[c](i)])));
};

// Vega looks names up in plain objects, where a run called "constructor" or "__proto__" would meet
// what every object has: such a name gets a mark that nobody sees.
const UNSEEN = "\u2060";
const unlike = (name) => (typeof name === "string" && name in Object.prototype ? name + UNSEEN : name);
const plain = (name) => name.replace(UNSEEN, "");

const contentOf = (element) =>
  JSON.parse(element.querySelector("script").textContent, (_, value) => unlike(value));

// A canvas does not know the page's variables, so their values are put in.
const resolved = (spec) => {
  const style = getComputedStyle(document.documentElement);
  const value = (_, name) => style.getPropertyValue(name).trim();
  return JSON.parse(JSON.stringify(spec).replace(/var\((--[\w-]+)\)/g, value));
};

// On a narrow screen a legend has fewer columns.
const fitted = (spec) => {
  if (innerWidth >= 700) return spec;
  const legend = { ...spec.config.legend, columns: 2 };
  return { ...spec, config: { ...spec.config, legend } };
};

const drawings = new Map(); // figure to its vega-embed result

async function draw(figure, rows) {
  const { spec, data } = contentOf(figure);
  figure.rows = rows || rowsOf(data);
  const canvas = figure.rows.length > MANY;
  const filled = { ...fitted(canvas ? resolved(spec) : spec), datasets: { data: figure.rows } };
  const options = {
    actions: false, renderer: canvas ? "canvas" : "svg",
    tooltip: { theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" },
  };
  if (drawings.get(figure)) drawings.get(figure).finalize();
  drawings.set(figure, await vegaEmbed(figure.querySelector(".plot"), filled, options));
  figure.dataset.drawn = canvas ? "canvas" : "svg";
}

const isShown = (element) => element.offsetParent !== null;
const waiting = () =>
  [...document.querySelectorAll("figure.chart")].filter((f) => !f.dataset.drawn && isShown(f));

let drawing = Promise.resolve();
function drawSoon(figure) {
  if (figure.dataset.drawn) return;
  figure.dataset.drawn = "soon";
  drawing = drawing.then(() => draw(figure)).catch((error) => {
    figure.querySelector(".plot").textContent = `This chart could not be drawn: ${error.message}`;
    console.error(error);
  });
}

const nearby = new IntersectionObserver(
  (seen) => seen.filter((s) => s.isIntersecting).forEach((s) => drawSoon(s.target)),
  { rootMargin: "400px" });

const idle = window.requestIdleCallback || ((work) => setTimeout(work, 50));
function drawRest() {
  const [next] = waiting();
  if (!next) return;
  drawSoon(next);
  drawing.then(() => idle(drawRest));
}

function showMeasure(measure) {
  document.querySelectorAll(".by-measure").forEach((block) => {
    block.hidden = block.dataset.measure !== measure;
  });
  drawRest();
}

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

// ---- downloads

const quoted = (value) => {
  const text = value === null || value === undefined ? "" : plain(String(value));
  return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};

const tableLines = (table) => {
  const kept = [...table.tHead.rows[0].cells].map((th) => !th.querySelector(".axis"));
  return [...table.rows].map((row) =>
    [...row.cells].filter((_, c) => kept[c]).map((cell) => cell.textContent.trim()));
};

const figureLines = (figure) => {
  const rows = figure.rows || rowsOf(contentOf(figure).data);
  const names = Object.keys(rows[0] || {});
  return [names, ...rows.map((row) => names.map((name) => row[name]))];
};

function download(button) {
  const source = button.closest(".table, .chart");
  const table = source.querySelector("table");
  const lines = table ? tableLines(table) : figureLines(source);
  const text = lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = `${source.dataset.name.replace(/[^\w.@-]+/g, "_")}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- any two runs

const pText = (p) => (p === null ? "–" : p < 0.0001 ? "<0.0001" : p.toFixed(4));
const tested = (pair) => // without a test there is no p value
  ("p" in pair ? `p ${pText(pair.p)}, corrected ${pText(pair.p_corrected)}; ` : "");
const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;

const chosen = (picker) =>
  ["a", "b"].map((run) => unlike(picker.querySelector(`[data-run=${run}]`).value));

// What was found of two runs is in the data of the matrix, the run that is ahead first.
function pairOf(picker) {
  const [a, b] = chosen(picker);
  const matrix = picker.closest(".by-measure").querySelector("figure.pairs");
  matrix.rows = matrix.rows || rowsOf(contentOf(matrix).data);
  return matrix.rows.find(
    (row) => (row.better === a && row.worse === b) || (row.better === b && row.worse === a));
}

function outcomeOf(pair, a) {
  const [wins, losses] = pair.better === a ? [pair.wins, pair.losses] : [pair.losses, pair.wins];
  return [counted(wins, "win", "wins"), counted(pair.ties, "tie", "ties"),
    counted(losses, "loss", "losses")].join(", ");
}

function describePair(picker) {
  const pair = pairOf(picker);
  const effect = pair && (pair.effect_size === null ? "–" : pair.effect_size.toFixed(2));
  const order = pair && (pair.difference > 0
    ? `${pair.better} is ahead by ${pair.difference.toFixed(4)}`
    : `${pair.better} and ${pair.worse} are level`);
  picker.querySelector(".said").textContent = pair
    ? `${order}; ${tested(pair)}effect size ${effect}; verdict: ${pair.verdict}.`
    : "";
}

function deltasOf({ systems, topics, scores }, a, b) {
  const at = (system, t) => scores[systems.indexOf(system) * topics.length + t];
  return topics
    .map((topic, t) => ({ topic, one: at(a, t), other: at(b, t) }))
    .filter((row) => row.one !== null && row.other !== null)
    .map(({ topic, one, other }) => ({ topic, difference: Number((one - other).toFixed(5)) }))
    .sort((x, y) => y.difference - x.difference);
}

// Of many topics the page has counts of differences, for every run with every later one.
function densityOf({ systems, width, bins, counts }, a, b) {
  const [i, j] = [a, b].map((run) => systems.indexOf(run));
  const [first, second] = [Math.min(i, j), Math.max(i, j)];
  const place = first * systems.length - (first * (first + 1)) / 2 + second - first - 1;
  const found = i === j ? Array(bins).fill(0) : counts.slice(place * bins, (place + 1) * bins);
  if (i > j) found.reverse();
  const middle = (bins - 1) / 2;
  return found.map((topics, k) =>
    ({ low: (k - middle - 0.5) * width, high: (k - middle + 0.5) * width, topics }));
}

function showPair(picker) {
  const [a, b] = chosen(picker);
  const content = contentOf(picker);
  const rows = content.counts ? densityOf(content, a, b) : deltasOf(content, a, b);
  const figure = picker.parentElement.querySelector("figure.deltas");
  const pair = pairOf(picker);
  figure.querySelector("figcaption").textContent =
    pair ? `${a} − ${b}: ${outcomeOf(pair, a)}` : "Choose two different runs";
  describePair(picker);
  drawing = drawing.then(() => draw(figure, rows));
}

// ---- set up

document.addEventListener("click", (event) => {
  const heading = event.target.closest("th button");
  if (heading) sortBy(heading.closest("th"));
  const button = event.target.closest(".download");
  if (button) download(button);
});
document.addEventListener("change", (event) => {
  if (event.target.name === "measure") showMeasure(event.target.value);
  if (event.target.dataset.run) showPair(event.target.closest(".picker"));
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  drawings.forEach((_, figure) => figure.dataset.drawn === "canvas" && draw(figure, figure.rows));
});
document.querySelectorAll("figure.chart").forEach((figure) => nearby.observe(figure));
document.querySelectorAll(".picker").forEach((picker) => idle(() => describePair(picker)));
window.addEventListener("load", () => idle(drawRest));
