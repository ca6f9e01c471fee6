/* What the site's own search finds: node docs/search.js out/docs QUERY… prints, for each query, a list
   of pages, the first first. Sphinx's script and index run as in a browser, without a page around them. */
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { createContext, runInContext } = require("node:vm");

const [root, ...queries] = process.argv.slice(2);
const nothing = () => null;
const browser = createContext({
  DOCUMENTATION_OPTIONS: {},
  SPHINX_HIGHLIGHT_ENABLED: false,
  document: { documentElement: { dataset: {} }, getElementById: nothing },
  _: (text) => text,
  _ready: nothing,
  _removeChildren: nothing,
});
browser.window = browser;
const scripts = ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"];
const code = scripts.map((name) => readFileSync(join(root, name), "utf8")).join("\n");
runInContext(`${code}\n;globalThis.Search = Search;`, browser);
// The search hands out its last hit first.
const found = (query) => browser.Search._performSearch(...browser.Search._parseQuery(query)).reverse();
const pages = queries.map((query) => [...new Set(found(query).map(([page]) => page))]);
console.log(JSON.stringify(pages));
