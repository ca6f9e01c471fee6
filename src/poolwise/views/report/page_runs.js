// ---- runs that are filtered by name, and those that are highlighted

let wanted = []; // parts of names; a run is shown if its name has one of them
const marked = new Set();

const everyRun = () =>
  [...new Set([...document.querySelectorAll("button.run")].map((button) => button.textContent))];
const isWanted = (run) => !wanted.length || wanted.some((part) => run.toLowerCase().includes(part));

const runsOf = (row) =>
  ["run", "better", "worse"].filter((name) => name in row).map((name) => plain(row[name]));
const isDim = (runs) => marked.size > 0 && !runs.some((run) => marked.has(run));

// As a rule all runs are shown alike, and the names of many rows are not looked at.
const shownRows = (rows) => (!wanted.length && !marked.size ? rows : rows
  .map((row) => [row, runsOf(row)])
  .filter(([, runs]) => !runs.length || runs.some(isWanted))
  .map(([row, runs]) => (runs.length && marked.size ? { ...row, dim: isDim(runs) } : row)));

// With fewer runs a chart that has a line for each is less tall.
function sized(spec, figure) {
  const { field } = ((spec.encoding || spec.layer[0].encoding).y || {});
  if (!wanted.length || !["run", "better"].includes(field)) return spec;
  const lines = (rows) => new Set(rows.map((row) => row[field])).size;
  const share = lines(shownRows(allRows(figure))) / Math.max(1, lines(allRows(figure)));
  return { ...spec, height: Math.max(40, Math.round(spec.height * share)) };
}

// Where runs are highlighted, the marks of the others are faint.
function dimming(spec) {
  if (!marked.size) return spec;
  const faint = (part) => {
    const opacity = { condition: { test: "datum.dim", value: 0.12 }, value: part.mark.opacity ?? 1 };
    return { ...part, encoding: { ...part.encoding, opacity } };
  };
  return spec.layer ? { ...spec, layer: spec.layer.map(faint) } : faint(spec);
}

function showRuns() {
  document.querySelectorAll("tbody tr").forEach((row) => {
    const runs = [...row.querySelectorAll("button.run")].map((button) => button.textContent);
    if (!runs.length) return;
    row.hidden = !runs.some(isWanted);
    row.classList.toggle("marked", runs.some((run) => marked.has(run)));
  });
  document.querySelectorAll("button.run").forEach((button) =>
    button.setAttribute("aria-pressed", marked.has(button.textContent)));
  document.querySelectorAll(".documents").forEach(showDocuments);
  const drawn = [...drawings.keys()].filter((figure) => runsOf(allRows(figure)[0] || {}).length);
  drawn.forEach((figure) => { drawing = drawing.then(() => draw(figure)); });
}

function filterRuns(text) {
  wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const every = everyRun();
  const shown = every.filter(isWanted).length;
  const none = wanted.length > 0 && !shown;
  if (none) wanted = [];
  document.querySelector(".shown").textContent = none
    ? `No run has “${text.trim()}” in its name: all are shown.`
    : wanted.length ? `${shown} of ${counted(every.length, "run", "runs")} shown.` : "";
  showRuns();
}

function markRun(run) {
  if (!marked.delete(run)) marked.add(run);
  showRuns();
}
