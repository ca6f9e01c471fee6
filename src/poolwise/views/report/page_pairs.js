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
  return allRows(matrix).find(
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
    ? `${order}; ${tested(pair)}effect size ${effect}; ${pair.state}.`
    : "";
}

// Of the measure that is shown: to read all pairs of the others would hold the page up.
function describePairs() {
  document.querySelectorAll(".by-measure:not([hidden]) .picker").forEach((picker) => {
    describePair(picker);
    linkPair(picker);
  });
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
  linkPair(picker);
  drawing = drawing.then(() => draw(figure, rows));
}

function choosePair(picker, a, b) {
  picker.querySelector("[data-run=a]").value = plain(a);
  picker.querySelector("[data-run=b]").value = plain(b);
  showPair(picker);
}

// A cell of the matrix shows its pair, topic by topic; one of unjudged documents, its topic.
function pickPair(figure, cell) {
  if (figure.dataset.name === "unjudged" && cell.topic) chooseTopic(plain(cell.topic));
  if (!figure.classList.contains("pairs") || !cell.better) return;
  const picker = figure.closest(".by-measure").querySelector(".picker");
  choosePair(picker, cell.better, cell.worse);
  picker.scrollIntoView({ block: "start" });
}
