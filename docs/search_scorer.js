"use strict";
/* How the search ranks: pages that answer a question before names and options of the reference. */
const firstly = [
  ["howto/", 4],
  ["start", 4],
  ["guide/", 3],
  ["methods/", 2],
  ["reference/", -2],
  ["benchmarks", -4],
  ["papers/", -4],
  ["results", -4],
  ["validation", -4],
];
var Scorer = {
  score: ([docName, , , , score, , kind]) => {
    const found = firstly.find(([folder]) => docName.startsWith(folder));
    return score + (found && kind !== "object" ? found[1] : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 3,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
