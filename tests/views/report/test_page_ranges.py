"""What the page says of unjudged documents and pairs of runs is what compare says."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poolwise as pw
from poolwise.views.plots.figure_data import VERDICTS

pytest.importorskip("altair")

MEASURES = ("AP@10", "R@10", "nDCG@10")


def block(page: str, section: str, measure: str) -> str:
    """Return the markup of one section that is shown for one measure."""
    (body,) = re.findall(rf'<section id="{section}">(.*?)</section>', page, re.DOTALL)
    found = re.split(r'<div class="by-measure" data-measure="([^"]*)"[^>]*>', body)
    return dict(zip(found[1::2], found[2::2], strict=True))[measure]


def chart_columns(markup: str, kind: str) -> dict[str, list[Any]]:
    """Return the data of a chart."""
    (figure,) = re.findall(rf'<figure class="chart {kind}".*?</figure>', markup, re.DOTALL)
    (script,) = re.findall(r'<script type="application/json">(.*?)</script>', figure, re.DOTALL)
    data = json.loads(script)["data"]
    return {
        name: [c["levels"][i] for i in c["codes"]] if isinstance(c, dict) else c
        for name, c in data.items()
    }


def table_rows(markup: str, name: str) -> list[list[str]]:
    """Return the texts of a table."""
    found = re.findall(rf'<div class="table" data-name="{name}">.*?</table>', markup, re.DOTALL)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", found[0].split("<tbody>")[1]) if found else []
    return [[unescape(c) for c in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]


def short(number: float) -> float:
    """Return a number as charts hold it."""
    return float(f"{number:.5g}")


def check_page(page: str, evidence: pw.Evidence, measure: str) -> None:
    """Compare every range, verdict and count of pairs on the page with those of compare."""
    found = pw.compare_evidence(evidence, measure, draws=0)
    pairs = {(p.a, p.b): p for p in (pair.better_first() for pair in found)}
    drawn = chart_columns(block(page, "differences", measure), "pairs")
    rows = [dict(zip(drawn, cells, strict=True)) for cells in zip(*drawn.values(), strict=True)]
    assert len(rows) == len(found)
    for row in rows:
        pair = pairs[row["better"], row["worse"]]
        said = [row["difference"], row["lowest"], row["highest"], row["p_corrected"]]
        ends = (pair.difference, pair.bound_low, pair.bound_high, pair.p_adjusted)
        assert said == [None if np.isnan(x) else short(x) for x in ends]
        open_ = pair.verdict != "certain"
        assert row["verdict"] == VERDICTS[(not pair.is_significant) + 2 * open_]
    check_reversals(block(page, "judgments", measure), measure, found, pairs)
    check_places(block(page, "judgments", measure), measure, found)
    check_leader(block(page, "leaderboard", measure), found)


def check_reversals(
    markup: str,
    measure: str,
    found: pw.Comparisons,
    pairs: dict[tuple[str, str], pw.Comparison],
) -> None:
    """Compare the table of reversible pairs."""
    possible = {names for names, pair in pairs.items() if pair.verdict == "possible"}
    if not possible:
        assert f"No judging could reverse any of the {len(found):,} comparisons" in markup
        return
    assert f"<b>{len(possible):,} of {len(found):,} comparisons</b> could be reversed" in markup
    rows = table_rows(markup, f"reversible-{measure}")
    assert len(rows) == min(len(possible), 50)
    for a, b, difference, ends, _ in rows:
        assert (a, b) in possible
        pair = pairs[a, b]
        assert difference == f"{pair.difference:.4f}"
        low, high = re.findall(r"-?\d\.\d{4}", ends.replace("−", "-"))
        assert (low, high) == (f"{pair.bound_low:.4f}", f"{pair.bound_high:.4f}")


def check_places(markup: str, measure: str, found: pw.Comparisons) -> None:
    """Compare the places that each run can have: not past runs that are certainly ahead."""
    pairs = [pair.better_first() for pair in found]
    certain = [pair for pair in pairs if pair.verdict == "certain" and pair.difference > 0]
    for row in table_rows(markup, f"judged-{measure}"):
        above = sum(pair.b == row[0] for pair in certain)
        below = sum(pair.a == row[0] for pair in certain)
        assert row[-1] == f"{1 + above} to {len(found.systems) - below}"


def check_leader(markup: str, found: pw.Comparisons) -> None:
    """Compare which runs no test separates from the first, and which could be put above it."""
    means = found.sample.scores.mean(axis=1)
    order = [found.systems[s] for s in np.argsort(-means, kind="stable").tolist()]
    best = order[0]
    apart = {p.b if p.a == best else p.a for p in found if best in (p.a, p.b) and p.is_significant}
    # A tier ends with the first run that the test separates from its best.
    beside = next((i for i, name in enumerate(order[1:]) if name in apart), len(order) - 1)
    separated = f"No test separates it from {beside} of the other {len(order) - 1} runs: "
    names = separated + ", ".join(f"<b>{name}</b>" for name in order[1 : 1 + min(beside, 8)])
    assert (names if beside else "The test separates it from all") in markup
    others = {
        p.b if p.a == best else p.a for p in found if best in (p.a, p.b) and p.verdict == "possible"
    }
    if others:
        assert f"could put {len(others)} above it" in markup
    else:
        assert "No judging of the unjudged documents could put another run above it" in markup


@pytest.mark.parametrize(("seed", "share"), [(3, 0.7), (0, 0.9), (2, 0.95), (5, 0.95)])
def test_the_page_has_the_ranges_of_compare(seed: int, share: float) -> None:
    """On random collections, ranges, verdicts and counts are those of compare, pair by pair.

    With these seeds, some pairs are open though the ranges of the two runs lie apart.
    """
    made = pw.simulate(systems=6, topics=6, depth=30, rng=seed)
    judged = np.random.default_rng(seed).random(len(made.truth.codes)) < share
    judgments = made.truth.keep(judged)
    page = pw.html_report(judgments, made.runs, MEASURES)
    evidence = pw.align(judgments, made.runs)
    for measure in MEASURES:
        check_page(page, evidence, measure)


def test_what_is_not_known_is_not_said_to_hold() -> None:
    """By a measure whose differences have no range, no order holds, and the page says why."""
    made = pw.simulate(systems=4, topics=6, depth=30, rng=1)
    page = pw.html_report(made.judgments, made.runs, ["Bpref"])
    drawn = chart_columns(block(page, "differences", "Bpref"), "pairs")
    assert VERDICTS[0] not in drawn["verdict"]
    assert set(drawn["lowest"]) == {None}
    for section in ("leaderboard", "judgments"):
        assert "not known, since a difference in Bpref has no bounds" in block(
            page, section, "Bpref"
        )


def test_trec8_pairs_that_the_runs_own_ranges_called_certain(data_dir: Path) -> None:
    """Of the first 40 runs of TREC-8, pairs whose own ranges lie apart are open by AP@100."""
    folder = data_dir / "trec8"
    paths = sorted((folder / "runs").iterdir())[:40]
    judgments, runs = pw.read_judgments(folder / "qrels.gz"), pw.read_runs(*paths)
    evidence = pw.align(judgments, runs)
    page = pw.html_report(judgments, runs, ["AP@100"])
    check_page(page, evidence, "AP@100")
    low, high = pw.score(evidence, "AP@100").mean_bounds()
    found = pw.compare_evidence(evidence, "AP@100", draws=0)
    left, right = found.pairs.left, found.pairs.right
    apart = (low[left] > high[right]) | (low[right] > high[left])
    assert (apart & (found.verdict == "possible")).sum() == 47
