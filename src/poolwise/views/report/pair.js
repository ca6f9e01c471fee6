// Two runs side by side: tables sort and download, a measure is chosen, a linked topic opens.

function showMeasure(measure) {
  document.querySelectorAll(".by-measure").forEach((block) => {
    block.hidden = block.dataset.measure !== measure;
  });
}

function openLinked() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  const topic = target && target.closest("details");
  if (!topic) return;
  topic.open = true;
  topic.scrollIntoView();
}

document.addEventListener("click", (event) => {
  const heading = event.target.closest("th button");
  if (heading) sortBy(heading.closest("th"));
  const button = event.target.closest(".download");
  if (!button) return;
  const table = button.closest(".table");
  save(csvBlob(tableLines(table.querySelector("table"))), table.dataset.name, "csv");
});
document.addEventListener("change", (event) => {
  if (event.target.name === "measure") showMeasure(event.target.value);
});
// A document that is pointed at is marked in the other ranking, too.
document.addEventListener("pointerover", (event) => {
  const item = event.target.closest(".rankings li");
  document.querySelectorAll(".rankings li.same").forEach((li) => li.classList.remove("same"));
  if (!item) return;
  const name = item.querySelector(".id").textContent;
  item.closest(".rankings").querySelectorAll("li").forEach((li) =>
    li.classList.toggle("same", li.querySelector(".id").textContent === name));
});
window.addEventListener("hashchange", openLinked);
openLinked();
