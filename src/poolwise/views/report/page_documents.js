// ---- the documents behind a topic

const documentsOf = (view) => (view.content = view.content || contentOf(view));

// Which runs have a document at which rank: "1: a, b · 3: c".
function ranksOf({ lists }, systems, at) {
  const byRank = new Map();
  lists.forEach((list, s) => {
    const rank = list.indexOf(at) + 1;
    const run = plain(systems[s]);
    if (rank && isWanted(run)) byRank.set(rank, [...(byRank.get(rank) || []), run]);
  });
  return [...byRank].sort(([a], [b]) => a - b);
}

const cell = (text, kind = "") => {
  const made = document.createElement("td");
  made.textContent = text;
  made.className = kind;
  return made;
};

function documentRow(topic, content, at) {
  const row = document.createElement("tr");
  const ranks = ranksOf(topic, content.systems, at);
  const name = cell(plain(topic.documents[at]), "document");
  const text = content.texts[topic.documents[at]];
  if (text) {
    const said = document.createElement("p");
    said.textContent = text;
    name.append(said);
  }
  const grade = topic.grades[at];
  const where = ranks.map(([rank, runs]) => `${rank}: ${runs.join(", ")}`).join(" · ");
  const number = ranks.reduce((sum, [, runs]) => sum + runs.length, 0);
  row.append(name, cell(grade === null ? "unjudged" : String(grade), grade === null ? "unjudged" : "number"),
    cell(String(number), "number"), cell(ranks.length ? String(ranks[0][0]) : "–", "number"),
    cell(where, "where"));
  return number ? row : null;
}

function showDocuments(view) {
  const content = documentsOf(view);
  const chosen = view.querySelector("select").selectedIndex;
  const topic = content.topics[chosen];
  const query = content.queries[chosen] && ` (${plain(content.queries[chosen])})`;
  const only = view.querySelector("input").checked;
  const rows = topic.documents.map((_, at) => at)
    .filter((at) => !only || topic.grades[at] === null)
    .map((at) => documentRow(topic, content, at)).filter(Boolean);
  const heads = ["document", "grade", "runs", "best rank", "where runs have it (rank: runs)"]
    .map((title) => `<th scope="col"><button type="button">${title}</button></th>`).join("");
  const place = view.querySelector(".of-topic");
  place.innerHTML = `<div class="scroll" tabindex="0" role="region" aria-label="Documents of the topic">
    <table><caption></caption><thead><tr>${heads}</tr></thead><tbody></tbody></table></div>`;
  place.querySelector("caption").textContent =
    `Topic ${plain(topic.topic)}${query}: documents in the first ${content.depth} ranks of a run`;
  place.querySelector("tbody").append(...rows);
  view.querySelector("a.topic").href = linkTo("topic", plain(topic.topic));
}

function chooseTopic(name) {
  const view = document.querySelector(".documents");
  const at = view ? documentsOf(view).topics.findIndex(({ topic }) => plain(topic) === name) : -1;
  if (at < 0) return;
  view.querySelector("select").selectedIndex = at;
  showDocuments(view);
  document.getElementById("documents").scrollIntoView();
}
