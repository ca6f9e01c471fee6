// ---- set up

document.addEventListener("click", (event) => {
  const heading = event.target.closest("th button");
  if (heading) sortBy(heading.closest("th"));
  const button = event.target.closest(".download");
  if (button) download(button);
  const run = event.target.closest("button.run");
  if (run) markRun(run.textContent);
});
document.addEventListener("change", (event) => {
  if (event.target.name === "measure") {
    showMeasure(event.target.value);
    history.replaceState(null, "", linkTo(event.target.value));
  }
  if (event.target.dataset.run) showPair(event.target.closest(".picker"));
  if (event.target.closest(".documents")) showDocuments(event.target.closest(".documents"));
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  drawings.forEach((_, figure) => figure.dataset.drawn === "canvas" && draw(figure, figure.rows));
});
let typing;
document.querySelector(".filter input").addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(() => filterRuns(event.target.value), 200);
});

// Long data is compressed (zlib, base64), and needed before anything is drawn.
const bytesOf = Uint8Array.fromBase64 || ((text) => { // which older browsers lack
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
});
async function unpack(script) {
  const bytes = bytesOf(script.textContent);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  script.textContent = await new Response(plain).text();
}

function setUp() {
  document.querySelectorAll("figure.chart").forEach((figure) => nearby.observe(figure));
  idle(describePairs);
  linkSections(chosenMeasure());
  document.querySelectorAll(".documents").forEach(showDocuments);
  window.addEventListener("hashchange", follow);
  follow();
  if (document.readyState === "complete") idle(drawRest);
  else window.addEventListener("load", () => idle(drawRest));
}

const compressed = [...document.querySelectorAll("script[data-zlib]")];
if (compressed.length) Promise.all(compressed.map(unpack)).then(setUp);
else setUp();
