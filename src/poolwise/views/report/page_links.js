// ---- links: #section, #measure, #measure/section, #measure/pair/run/run, #topic/name

const linkTo = (...parts) => `#${parts.map(encodeURIComponent).join("/")}`;
const chosenMeasure = () => (document.querySelector("[name=measure]:checked") || {}).value;

function linkSections(measure) {
  document.querySelectorAll("a[data-section]").forEach((link) => {
    link.href = linkTo(measure, link.dataset.section);
  });
}

function linkPair(picker) {
  const runs = chosen(picker).map(plain);
  const { measure } = picker.closest(".by-measure").dataset;
  picker.querySelector("a.pair").href = linkTo(measure, "pair", ...runs);
}

function chooseMeasure(measure) {
  const radio = [...document.querySelectorAll("[name=measure]")].find((r) => r.value === measure);
  if (!radio) return false;
  radio.checked = true;
  showMeasure(measure);
  return true;
}

function followPair(measure, a, b) {
  const block = [...document.querySelectorAll("#differences .by-measure")]
    .find((one) => one.dataset.measure === measure);
  const picker = block && block.querySelector(".picker");
  if (!picker) return;
  choosePair(picker, a, b);
  picker.scrollIntoView({ block: "start" });
}

// Where the address names a measure, a section of it or a pair, the page shows that.
function follow() {
  const parts = location.hash.slice(1).split("/").map(decodeURIComponent);
  if (parts[0] === "topic" && parts.length === 2) chooseTopic(parts[1]);
  if (!chooseMeasure(parts[0])) return;
  const [measure, place, ...runs] = parts;
  if (place === "pair") followPair(measure, ...runs);
  else if (place) (document.getElementById(place) || document.body).scrollIntoView();
}
