"use strict";
// Charts are drawn when they come near the screen and, one after the other, when nothing else is
// to do; tables sort and download as they stand. All data is in the page.

const MANY = 4000; // rows from which a chart is drawn on a canvas
const AT_REST = 2000; // milliseconds without a hand on the page, after which long charts are drawn

const rowsOf = (columns) => {
  const names = Object.keys(columns);
  const read = names.map((name) => {
    const column = columns[name];
    return column.codes ? (i) => column.levels[column.codes[i]] : (i) => column[i];
  });
  const first = columns[names[0]] || [];
  const length = (first.codes || first).length;
  return Array.from({ length }, (_, i) => {
    const row = {};
    for (let c = 0; c < names.length; c += 1) row[names[c]] = read[c](i);
    return row;
  });
};

// Vega looks names up in plain objects, where a run called "constructor" or "__proto__" would meet
// what every object has: such a name gets a mark that nobody sees.
const unlike = (name) => (typeof name === "string" && name in Object.prototype ? name + UNSEEN : name);

// Columns of numbers, which may be long, are left as they are.
const safely = (value) => {
  if (typeof value === "string") return unlike(value);
  if (Array.isArray(value)) {
    return value.every((one) => one === null || typeof one === "number") ? value : value.map(safely);
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, safely(one)]));
};

const contents = new WeakMap(); // element to what its script holds
const contentOf = (element) => {
  if (!contents.has(element)) {
    contents.set(element, safely(JSON.parse(element.querySelector("script").textContent)));
  }
  return contents.get(element);
};

// A canvas does not know the page's variables, so their values are put in.
const resolved = (spec) => {
  const style = getComputedStyle(document.documentElement);
  const value = (_, name) => style.getPropertyValue(name).trim();
  return JSON.parse(JSON.stringify(spec).replace(/var\((--[\w-]+)\)/g, value));
};

// On a narrow screen a legend has fewer columns.
const fitted = (spec) => {
  if (innerWidth >= 700) return spec;
  const legend = { ...spec.config.legend, columns: innerWidth < 500 ? 1 : 2 };
  return { ...spec, config: { ...spec.config, legend } };
};

// What is told of a mark where a reader points at it, from its row.
const labelOf = (value, { format }) => {
  if (typeof value !== "number") return value === null ? "–" : plain(String(value));
  const [, digits] = /\.(\d)f$/.exec(format || "") || [];
  return (digits ? value.toFixed(digits) : String(value)).replace(/^-/, "−");
};
const tellOf = (fields) => (row, sanitize) => {
  const lines = fields.map((field) =>
    `<tr><td class="key">${sanitize(field.title || field.field)}</td>` +
    `<td class="value">${sanitize(labelOf(row[field.field], field))}</td></tr>`);
  return `<table>${lines.join("")}</table>`;
};

// Vega would write the text of every mark before it draws one, twice: to point at, and to be read
// aloud. Of many marks it is written when a reader points at one.
const toldLater = (spec) => {
  const { tooltip, ...encoding } = spec.encoding;
  // Nor is a least width asked for, which would be worked out for every mark.
  const mark = { ...spec.mark, tooltip: { content: "data" }, minBandSize: 0 };
  return { ...spec, mark, encoding, config: { ...spec.config, aria: false } };
};

// The policy of the page lets no text become code, nor further styles: expressions are interpreted.
const SAFELY = { actions: false, ast: true, defaultStyle: false };

const drawings = new Map(); // figure to its vega-embed result

// All rows of a chart, whichever of them are shown.
const allRows = (figure) => (figure.all = figure.all || rowsOf(contentOf(figure).data));

async function draw(figure, rows) {
  if (rows) figure.all = rows;
  figure.rows = shownRows(allRows(figure));
  const spec = dimming(sized(contentOf(figure).spec, figure));
  const canvas = figure.rows.length > MANY;
  const light = canvas && Boolean(spec.encoding && spec.encoding.tooltip);
  const looks = light ? toldLater(spec) : spec;
  const filled = { ...fitted(canvas ? resolved(looks) : looks), datasets: { data: figure.rows } };
  const options = {
    ...SAFELY, renderer: canvas ? "canvas" : "svg",
    tooltip: {
      theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
      disableDefaultStyle: true,
      ...(light ? { formatTooltip: tellOf(spec.encoding.tooltip) } : {}),
    },
  };
  if (drawings.get(figure)) drawings.get(figure).finalize();
  const plot = figure.querySelector(".plot");
  if (!figure.rows.length && wanted.length) {
    plot.textContent = "This chart has none of the runs that are shown.";
    return;
  }
  const drawn = await vegaEmbed(plot, filled, options);
  // The place of the chart has a name; what is inside is for the eye.
  plot.querySelectorAll("svg, canvas").forEach((picture) =>
    picture.setAttribute("aria-hidden", "true"));
  drawn.view.addEventListener("click", (_, item) => item && pickPair(figure, item.datum));
  drawings.set(figure, drawn);
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
const rowCount = ({ data }) => {
  const [first = []] = Object.values(data);
  return (first.codes || first).length;
};
const isLong = (figure) => rowCount(contentOf(figure)) > MANY;

// A long chart holds the page up while it is drawn: it waits until nobody scrolls or types.
let touched = 0;
["scroll", "pointerdown", "keydown"].forEach((kind) =>
  addEventListener(kind, () => { touched = performance.now(); }, { passive: true }));

function drawRest() {
  const left = waiting();
  const [next] = left.filter((figure) => !isLong(figure));
  const rested = performance.now() - touched;
  if (!left.length) return;
  if (!next && rested < AT_REST) {
    setTimeout(drawRest, AT_REST - rested);
    return;
  }
  drawSoon(next || left[0]);
  drawing.then(() => idle(drawRest));
}

function showMeasure(measure) {
  document.querySelectorAll(".by-measure").forEach((block) => {
    block.hidden = block.dataset.measure !== measure;
  });
  linkSections(measure);
  describePairs();
  drawRest();
}

// ---- downloads

const figureLines = (figure) => {
  const rows = allRows(figure);
  const names = Object.keys(rows[0] || {});
  return [names, ...rows.map((row) => names.map((name) => row[name]))];
};

const csvOf = (source) => {
  const table = source.querySelector("table");
  const lines = table ? tableLines(table) : figureLines(source);
  return csvBlob(lines);
};

// A picture stands alone: with the values of the page's colours, on the page's paper.
async function pictureOf(figure, form) {
  const plot = figure.querySelector(".plot");
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  const spec = resolved(dimming(sized(contentOf(figure).spec, figure)));
  const config = { ...spec.config, background: paper };
  const rows = figure.rows || shownRows(allRows(figure));
  const alone = { ...spec, config, width: plot.clientWidth - 20, padding: 10, datasets: { data: rows } };
  const { view, finalize } = await vegaEmbed(document.createElement("div"), alone,
    { ...SAFELY, renderer: "none", tooltip: false });
  const made = form === "svg"
    ? new Blob([await view.toSVG()], { type: "image/svg+xml" })
    : await view.toCanvas(2).then((canvas) => new Promise((done) => canvas.toBlob(done)));
  finalize();
  return made;
}

async function download(button) {
  const source = button.closest(".table, .chart");
  const { form } = button.dataset;
  save(form === "csv" ? csvOf(source) : await pictureOf(source, form), source.dataset.name, form);
}

