"""The policy of the page: its own scripts and styles, and nothing else."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import poolwise as pw

pytest.importorskip("vl_convert")

INJECTED = """() => {
  const tries = [];
  document.addEventListener("securitypolicyviolation", (e) => tries.push(e.effectiveDirective));
  const script = document.createElement("script");
  script.textContent = "window.broken = 1";
  document.body.append(script);
  const remote = document.createElement("script");
  remote.src = "https://example.org/x.js";
  document.body.append(remote);
  const picture = document.createElement("img");
  picture.src = "https://example.org/x.png";
  document.body.append(picture);
  const inside = document.createElement("div");
  inside.innerHTML = "<img src=x onerror='window.broken = 2'><iframe src='https://example.org'>";
  document.body.append(inside);
  const style = document.createElement("style");
  style.textContent = "body { display: none }";
  document.head.append(style);
  setTimeout("window.broken = 3", 0);
  return fetch("https://example.org/x").catch(() => tries.push("fetch")).then(() =>
    new Promise((done) => setTimeout(() => done([tries, window.broken]), 300)));
}"""
"""What a name that became markup could try."""


def test_the_policy_of_the_page_lets_nothing_else_run_or_load(browser: Any, tmp_path: Path) -> None:
    """No script but the page's own two, no code from text, no style, picture or frame of others."""
    made = pw.simulate(systems=4, topics=6, depth=20, rng=3)
    path = tmp_path / "page.html"
    path.write_text(pw.html_page(pw.report(made.judgments, made.runs, ["P@5"])), "utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    tried, broken = page.evaluate(INJECTED)
    page.close()
    assert broken is None
    scripts = {"script-src", "script-src-elem", "script-src-attr"}
    others = {"connect-src", "fetch", "frame-src", "img-src", "style-src-elem"}
    assert set(tried) == scripts | others


def test_the_policy_names_each_script_and_style_by_its_hash() -> None:
    """It begins with nothing at all, and every element that runs has its hash in it."""
    made = pw.simulate(systems=3, topics=5, depth=20, rng=1)
    page = pw.html_page(pw.report(made.judgments, made.runs, ["P@5"]))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    for tag, directive in (("script", "script-src"), ("style", "style-src-elem")):
        (sources,) = re.findall(rf"{directive} ([^;]+)", policy)
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in inside]
        assert sources.split() == [f"'sha256-{digest}'" for digest in hashes]
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert not re.search(r"<[^>]+\son\w+=", page.split("<main>")[1].split("</main>")[0])
