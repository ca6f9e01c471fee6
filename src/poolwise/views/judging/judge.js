// The page of an assessor. It shows one document after another, and keeps every answer in the browser
// until the server says that it is on its disk.

const $ = (id) => document.getElementById(id);
const AHEAD = 8; // documents that are here before they are shown, so that nobody waits, online or not
const FEWEST = 4;
const IDLE = 60_000; // after so long without a touch, nobody is reading
const prefix = `poolwise.${document.body.dataset.room}.`;
const scale = JSON.parse(document.body.dataset.scale);

// ---- answers that are not yet saved: one entry each, so that two tabs never write over each other

const memory = new Map(); // where the browser keeps nothing
const stored = {
  keys() {
    const own = Object.keys(localStorage).filter((key) => key.startsWith(`${prefix}answer.`));
    return [...new Set([...own, ...memory.keys()])].sort();
  },
  get: (key) => memory.get(key) ?? JSON.parse(localStorage.getItem(key)),
  put(key, answer) {
    try {
      localStorage.setItem(key, JSON.stringify(answer));
    } catch {
      memory.set(key, answer);
    }
  },
  drop(key) {
    memory.delete(key);
    localStorage.removeItem(key);
  },
};

const newId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)),
  (byte) => byte.toString(16).padStart(2, "0")).join("");

// ---- what is known here

let work = []; // documents that this person has and has not answered, the current one first
let current = null;
let past = []; // answers that can be undone, the last one last
let practising = null; // a practice answer whose right grade is awaited
let told = { state: "preparing", reason: "", progress: null };
const answered = new Set(); // leases, so that an old list from the server brings none back
let stopped = false; // the link is not valid any more
const others = new BroadcastChannel(`${prefix}room`);

// ---- talking to the server

class Refusal extends Error {} // the server was reached, and said no

async function ask(path, body) {
  const answer = await fetch(`api/${path}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const said = await answer.json();
  if (answer.status === 401 || answer.status === 403) stop(said.error);
  if (!answer.ok) throw new Refusal(said.error);
  return said;
}

function stop(reason) {
  stopped = true;
  document.body.classList.add("gone");
  notice(`${reason} What is not yet saved stays in this browser until you open a valid link.`);
}

let asking = false;
let askAgain = 0;
async function getWork() {
  if (asking || stopped) return;
  asking = true;
  clearTimeout(askAgain);
  let wait = 30_000;
  try {
    const said = await ask("work", { count: AHEAD, have: work.map((item) => item.lease) });
    online(true);
    take(said);
    wait = { preparing: 1000, waiting: 15_000, paused: 15_000, done: 30_000 }[said.state] ?? 60_000;
  } catch (error) {
    online(error instanceof Refusal);
    wait = 5000;
  }
  asking = false;
  askAgain = setTimeout(getWork, wait);
}

function take(said) {
  told = said;
  const now = Date.now();
  const held = new Map(said.work.map((item) => [item.lease, item]));
  const kept = work.filter((item) => item.again || held.has(item.lease) || item === current);
  for (const item of kept) if (held.has(item.lease)) item.until = now + 1000 * held.get(item.lease).seconds;
  const known = new Set(kept.map((item) => item.lease));
  const more = said.work.filter((item) => item.text && !known.has(item.lease) && !answered.has(item.lease));
  for (const item of more) item.until = now + 1000 * item.seconds;
  work = [...kept, ...more];
  if (current && !current.again && !held.has(current.lease)) leaseGone();
  else if (!current || document.body.classList.contains("gone")) show(work[0] ?? null);
  showProgress();
}

let sending = false;
let sendAgain = 0;
let patience = 1000;
async function send() {
  if (sending || stopped) return;
  sending = true;
  clearTimeout(sendAgain);
  try {
    for (let key; !stopped && (key = stored.keys()[0]);) await sendOne(key);
    patience = 1000;
  } catch (error) {
    online(error instanceof Refusal);
    sendAgain = setTimeout(send, patience);
    patience = Math.min(2 * patience, 15_000);
  }
  sending = false;
  showUnsaved();
}

async function sendOne(key) {
  const { after, ...answer } = stored.get(key) ?? {};
  if (!answer.client_id) return stored.drop(key); // another tab has sent it
  if (after) return refused(key, "the answer that it replaces was not saved");
  const said = await ask("answers", { answers: [answer] });
  online(true);
  const [ack] = said.answers;
  if (ack.judgment !== null && !ack.reason) acknowledge(answer.client_id, ack.judgment);
  else refused(key, ack.reason);
  stored.drop(key); // last: until then it is sent again, which changes nothing
  told.progress = said.progress ?? told.progress;
  feedback(answer.client_id, ack);
  showUnsaved();
  showProgress();
}

function acknowledge(client, judgment) {
  for (const one of past) if (one.client === client) one.judgment = judgment;
  if (current?.after === client) Object.assign(current, { after: null, replaces: judgment });
  for (const item of work) if (item.after === client) Object.assign(item, { after: null, replaces: judgment });
  for (const key of stored.keys()) {
    const waiting = stored.get(key);
    if (waiting?.after === client) stored.put(key, { ...waiting, after: null, replaces: judgment });
  }
}

function refused(key, reason) {
  stored.drop(key);
  notice(`One answer was not taken: ${reason}`);
}

function online(is) {
  document.body.classList.toggle("offline", !is);
  showUnsaved();
}

// ---- answering

let shownAt = "";
let shownSince = 0;
let active = 0;
let lastTouch = 0;
let lastTick = 0;
function tick() {
  const now = Date.now();
  if (!document.hidden && now - lastTouch < IDLE) active += Math.min(now - lastTick, 2000);
  lastTick = now;
  if (current && !current.again && now > current.until) leaseGone();
}

function answer(kind, grade = null) {
  // A key that was held too long must not answer for the next document.
  if (!current || practising || document.body.classList.contains("gone")) return;
  if (performance.now() - shownSince < 150) return;
  tick();
  const client = newId();
  const item = current;
  put({
    client_id: client, lease: item.lease, kind, grade, note: $("note-text").value.trim(),
    shown_at: shownAt, active_ms: Math.round(active), replaces: item.replaces ?? null, after: item.after ?? null,
  });
  past.push({ item: { ...item, again: true }, client, judgment: null });
  past = past.slice(-50);
  answered.add(item.lease);
  others.postMessage(item.lease);
  work = work.filter((one) => one !== item);
  const name = scale.find((one) => one.grade === grade)?.label ?? { cannot: "Cannot judge", skip: "Skipped" }[kind];
  if (item.practice && kind === "grade") return practise(client, name);
  say(`Last answer: ${name}.`);
  show(work[0] ?? null);
  if (work.length < FEWEST) getWork();
}

let count = 0;
function put(sent) {
  stored.put(`${prefix}answer.${String(Date.now()).padStart(15, "0")}.${String(count++).padStart(6, "0")}.${sent.client_id}`, sent);
  showUnsaved();
  send();
}

async function undo() {
  if (practising) return;
  if (!past.length) await recall();
  const last = past.pop();
  if (!last) return say("There is nothing to undo.");
  const client = newId();
  put({
    client_id: client, lease: last.item.lease, kind: "withdrawn", grade: null, note: "", shown_at: "",
    active_ms: null, replaces: last.judgment, after: last.judgment === null ? last.client : null,
  });
  const item = { ...last.item, again: true, replaces: null, after: client, until: Infinity };
  work = [item, ...work.filter((one) => one.lease !== item.lease)];
  show(item);
  say("Undone: answer this document again.");
}

// After a reload the server still knows the last answer.
async function recall() {
  try {
    const { last } = await ask("last", {});
    if (last) past.push({ item: last.item, client: "", judgment: last.judgment });
  } catch (error) {
    online(error instanceof Refusal);
  }
}

function practise(client, name) {
  practising = { client, name };
  notice(`Practice. Your answer: ${name}.`, "Next", () => {
    practising = null;
    show(work[0] ?? null);
    if (work.length < FEWEST) getWork();
  });
}

function feedback(client, ack) {
  if (practising?.client !== client || ack.expected === null) return;
  const right = scale.find((one) => one.grade === ack.expected)?.label ?? String(ack.expected);
  const verdict = right === practising.name ? "That is right" : `The right answer is ${right}`;
  $("notice").firstChild.textContent = `Practice. Your answer: ${practising.name}. ${verdict}. ${ack.why} `;
}

// ---- showing

function show(item) {
  current = item;
  document.body.classList.remove("gone");
  $("notice").hidden = true;
  document.querySelectorAll(".answers button[data-grade], [data-act=cannot], [data-act=skip]")
    .forEach((button) => { button.disabled = !item; });
  $("empty").hidden = Boolean(item);
  for (const id of ["title", "copies", "text", "frame"]) $(id).hidden = true;
  if (!item) return showNothing();
  if ($("query").textContent !== item.query) {
    $("query").textContent = item.query;
    $("query").classList.remove("new");
    requestAnimationFrame(() => $("query").classList.add("new"));
  }
  for (const id of ["description", "narrative"]) {
    $(id).textContent = item[id];
    $(id).hidden = !item[id];
  }
  $("topic").hidden = !item.description && !item.narrative;
  $("title").replaceChildren(...marked(item.title));
  $("title").hidden = item.title.join("") === "";
  $("copies").textContent = item.copies === 1
    ? "Another document has the same text: your answer counts for both."
    : `${item.copies} other documents have the same text: your answer counts for all of them.`;
  $("copies").hidden = !item.copies;
  $("text").replaceChildren(...marked(item.text));
  document.querySelector("[data-act=plain]").hidden = !item.html;
  showForm();
  $("note-text").value = "";
  showNote(false);
  shownAt = new Date().toISOString();
  shownSince = performance.now();
  [active, lastTick, lastTouch] = [0, Date.now(), Date.now()];
  $("document").scrollTop = 0;
  if (innerWidth < 800) scrollTo(0, 0);
  const at = document.activeElement;
  if (!$("guidelines").open && !at?.closest(".answers, textarea")) $("document").focus({ preventScroll: true });
}

const marked = (parts) => parts.map((part, at) => {
  if (at % 2 === 0) return document.createTextNode(part);
  const mark = document.createElement("mark");
  mark.textContent = part;
  return mark;
});

function showNothing() {
  $("query").textContent = "";
  $("topic").hidden = true;
  const offline = document.body.classList.contains("offline");
  $("empty").textContent = offline ? "No more documents are here. They come when the network is back."
    : told.reason || "Documents are being chosen.";
}

let plain = false;
function showForm() {
  const framed = current?.html && !plain;
  $("frame").hidden = !framed;
  $("text").hidden = Boolean(framed);
  if (framed) $("frame").src = `api/frame/${current.lease}`;
  document.querySelector("[data-act=plain]").setAttribute("aria-pressed", String(plain));
}

function showNote(open) {
  $("note").hidden = !open;
  document.querySelector("[data-act=note]").setAttribute("aria-expanded", String(open));
  if (open) $("note-text").focus();
}

function showUnsaved() {
  const waiting = stored.keys().length;
  const offline = document.body.classList.contains("offline");
  $("unsaved").textContent = !waiting ? (offline ? "No network" : "All saved")
    : `${waiting} not yet saved${offline ? ": no network" : ""}`;
  document.body.classList.toggle("waiting", waiting > 0);
}

function showProgress() {
  const found = told.progress;
  if (!found) return;
  const minutes = found.minutes_left === null ? "" : ` · ${duration(found.minutes_left)}`;
  $("progress").textContent = `${found.judged} judged · ${found.left} left${minutes}`;
  if (!current) showNothing();
}

const duration = (minutes) =>
  minutes < 1 ? "about a minute" : minutes < 90 ? `about ${Math.round(minutes)} min` : `about ${Math.round(minutes / 60)} h`;

function leaseGone() {
  document.body.classList.add("gone");
  work = work.filter((item) => item !== current);
  current = null;
  notice("This document is no longer kept for you; somebody else may have it.", "Go on", getWork);
}

function notice(text, button = "", act = null) {
  $("notice").replaceChildren(document.createTextNode(`${text} `));
  $("notice").hidden = false;
  if (!button) return;
  const made = document.createElement("button");
  made.textContent = button;
  made.addEventListener("click", () => { $("notice").hidden = true; act(); });
  $("notice").append(made);
  made.focus();
}

function say(text) {
  $("said").textContent = text;
}

// ---- keys, buttons, and what goes on around

const ACTS = {
  cannot: () => answer("cannot"),
  skip: () => answer("skip"),
  undo,
  note: () => showNote($("note").hidden),
  guidelines: () => ($("guidelines").open ? $("guidelines").close() : $("guidelines").showModal()),
  plain: () => { plain = !plain; showForm(); },
};
const KEYS = { c: "cannot", s: "skip", u: "undo", n: "note", g: "guidelines", "?": "guidelines", t: "plain" };

document.addEventListener("keydown", (event) => {
  lastTouch = Date.now();
  if (event.key === "Escape" && event.target.id === "note-text") return $("document").focus();
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest?.("textarea, input, select") || !$("keys").checked) return;
  if ($("guidelines").open && event.key !== "g") return;
  const grade = scale[event.key >= "0" && event.key <= "9" ? Number(event.key) : -1];
  const act = KEYS[event.key];
  if (!grade && !act) return;
  event.preventDefault();
  if (grade) answer("grade", grade.grade);
  else if (act !== "plain" || current?.html) ACTS[act]();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.grade) answer("grade", Number(button.dataset.grade));
  else if (button?.dataset.act) ACTS[button.dataset.act]();
});

// A click into the frame takes the keys away from the page; a person who tabs into it keeps them there.
let tabbed = 0;
document.addEventListener("keydown", (event) => { if (event.key === "Tab") tabbed = performance.now(); }, true);
addEventListener("blur", () => setTimeout(() => {
  const clicked = document.activeElement === $("frame") && performance.now() - tabbed > 500;
  if (clicked) $("document").focus({ preventScroll: true });
}));

$("keys").checked = localStorage.getItem("poolwise.keys") !== "off";
$("keys").addEventListener("change", () => localStorage.setItem("poolwise.keys", $("keys").checked ? "on" : "off"));
if (innerWidth < 800) $("topic").open = false;

for (const kind of ["pointermove", "wheel", "scroll", "touchstart"]) {
  document.addEventListener(kind, () => { lastTouch = Date.now(); }, { passive: true, capture: true });
}
others.addEventListener("message", ({ data }) => {
  answered.add(data);
  work = work.filter((item) => item.lease !== data || item.again);
  if (current?.lease === data && !current.again) {
    show(work[0] ?? null);
    say("Answered in another window.");
  }
  if (work.length < FEWEST) getWork();
});
addEventListener("storage", showUnsaved);
addEventListener("online", () => { send(); getWork(); });
addEventListener("offline", () => online(false));
document.addEventListener("visibilitychange", () => { if (!document.hidden) { send(); getWork(); } });
addEventListener("beforeunload", (event) => { if (stored.keys().length) event.preventDefault(); });

setInterval(tick, 1000);
for (const key of stored.keys()) answered.add(stored.get(key).lease);
showUnsaved();
send();
getWork();
