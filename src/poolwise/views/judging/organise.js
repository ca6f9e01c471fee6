/* global sortBy, save, csvBlob, tableLines */
// The page of an organiser: parts are drawn by the server, and put in place as judgments arrive.
const $ = (id) => document.getElementById(id);
const EVERY = 3000;
let version = document.body.dataset.version;

// The one place where text becomes markup: what our own server has drawn.
const policy = globalThis.trustedTypes?.createPolicy("parts", { createHTML: (text) => text }) ??
  { createHTML: (text) => text };

async function ask(path, body) {
  const asked = body === undefined ? {}
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`api/${path}`, asked);
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

const drawn = new Map();
function take(said) {
  version = said.version;
  $("live").textContent = said.live;
  $("pause").setAttribute("aria-pressed", String(said.paused));
  $("pause").textContent = said.paused ? "Go on judging" : "Pause";
  for (const [name, markup] of Object.entries(said.parts)) {
    const place = $(`part-${name}`);
    // What somebody is about to press stays where it is.
    if (!place || drawn.get(name) === markup || place.contains(document.activeElement)) continue;
    const open = new Set([...place.querySelectorAll("details[open]")].map((one) => one.id));
    const sorted = new Map([...place.querySelectorAll("th[aria-sort]")].map((one) =>
      [one.closest(".table").dataset.name, [one.cellIndex, one.ariaSort]]));
    place.innerHTML = policy.createHTML(markup);
    for (const [table, [column, way]] of sorted) {
      const heading = place.querySelector(`.table[data-name="${CSS.escape(table)}"] th:nth-child(${column + 1})`);
      for (let i = 0; heading && i < 2 && heading.ariaSort !== way; i++) sortBy(heading);
    }
    for (const one of place.querySelectorAll("details")) one.open = open.has(one.id);
    drawn.set(name, markup);
  }
}

let again = 0;
async function look() {
  clearTimeout(again);
  try {
    const said = await ask(`organise/parts?seen=${encodeURIComponent(version)}`);
    if (said.parts) take(said);
    else $("live").textContent = said.live;
    $("notice").hidden = true;
  } catch (error) {
    notice(error instanceof TypeError ? "The server cannot be reached; this page is as it was." : error.message);
  }
  again = setTimeout(look, document.hidden ? 10 * EVERY : EVERY);
}

function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = false;
}

async function act(path, body) {
  try {
    const said = await ask(path, body);
    await look();
    return said;
  } catch (error) {
    notice(error.message);
    return null;
  }
}

$("pause").addEventListener("click", () =>
  act("organise/pause", { paused: $("pause").getAttribute("aria-pressed") !== "true" }));

$("invite").addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = await act("organise/invite", { name: $("name").value });
  if (!said) return;
  const link = document.createElement("code");
  link.textContent = said.link;
  $("invited").replaceChildren(`Personal link of ${said.name}, shown this once: `, link);
  $("name").value = "";
});

$("export-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = await act("organise/export", { rule: $("rule").value });
  if (!said) return;
  $("exported").textContent = said.sentences.join(" ");
  const link = document.createElement("a");
  const bytes = Uint8Array.from(said.qrels, (letter) => letter.charCodeAt(0));
  link.href = URL.createObjectURL(new Blob([bytes], { type: "text/plain" }));
  link.download = said.file;
  link.textContent = said.file;
  $("exported").append(" ", link);
  link.click();
});

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)),
  (byte) => byte.toString(16).padStart(2, "0")).join("");

document.addEventListener("click", async (event) => {
  const heading = event.target.closest("th button");
  if (heading) return sortBy(heading.closest("th"));
  const download = event.target.closest(".download");
  if (download) {
    const table = download.closest(".table");
    return save(csvBlob(tableLines(table.querySelector("table"))), table.dataset.name, "csv");
  }
  const button = event.target.closest("button[data-topic], button[data-retire]");
  if (!button) return;
  button.blur(); // so that its part can be drawn anew
  const { topic, document: name, grade, retire } = button.dataset;
  if (!retire) return act("organise/adjudicate", { topic, document: name, grade: Number(grade), client_id: newId() });
  if (confirm(`End all links of ${retire}? What was judged stays.`)) act("organise/retire", { name: retire });
});

// The text of a document comes when somebody wants to read it.
document.addEventListener("toggle", async (event) => {
  const place = event.target.open && event.target.querySelector(".read:empty");
  if (!place) return;
  const { topic, document: name } = place.dataset;
  try {
    place.textContent = (await ask("organise/text", { topic, document: name })).text;
  } catch (error) {
    notice(error.message);
  }
}, true);

look();
