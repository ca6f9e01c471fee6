"""Every number on the page is that of the API, section by section, on random collections.

The page is read back, and what it says is made again from score tables, comparisons, ranges,
tiers, estimates, overlaps, power and audit: nothing here asks the Overview that the page is
drawn from.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.properties.page_reader import Block, Page, Table, read_page

import poolwise as pw
from poolwise.cli.main import main
from poolwise.collection import Labels, join_labels, simulate_labels
from poolwise.findings.comparison._states import counts_in_words
from poolwise.judging._candidates import document_gains

pytest.importorskip("vl_convert")

COUNTED = {
    "holds": r"holds?\b",
    "too few topics": r"needs? more topics",
    "open": r"(?:is|are) open on both counts",
    "significant, judging unknown": r"rests? on judged documents alone",
    "level": r"(?:is|are) level",
    "very likely holds": r"very likely holds?\b",
    "doubtful": r"(?:is|are) doubtful",
    "probably the other way round": r"(?:is|are) probably the other way round",
}
"""What is said of so many pairs of a state."""
RESTS = "rests on missing topics"


# ---- collections


@dataclass(frozen=True)
class Case:
    """What a page is made of."""

    judgments: pw.Judgments
    runs: pw.Runs
    measures: tuple[str, ...]
    baseline: str | None = None
    groups: pw.Groups | None = None
    topics: str = "judged"
    seed: int = 1
    labels: Labels | None = None
    beside: list[dict[str, Any]] | None = None


def simulated(
    seed: int, *, systems: int, topics: int, share: float | None = None
) -> dict[str, Any]:
    """Simulate a collection; with a share, judge that share of all documents at random."""
    made = pw.simulate(systems=systems, topics=topics, depth=30, rng=seed)
    judgments = made.judgments
    if share is not None:
        judged = np.random.default_rng(seed).random(len(made.truth.codes)) < share
        judgments = made.truth.keep(judged)
    return {"judgments": judgments, "runs": made.runs, "groups": made.groups}


CONFUSIONS = {
    "generous": ((0.5, 0.3, 0.2, 0), (0.1, 0.3, 0.4, 0.2), (0, 0.1, 0.5, 0.4), (0, 0, 0.2, 0.8)),
    "careful": ((0.8, 0.2, 0, 0), (0.5, 0.4, 0.1, 0), (0.2, 0.3, 0.4, 0.1), (0.1, 0.2, 0.3, 0.4)),
}


def labelled(seed: int, *, systems: int, topics: int) -> dict[str, Any]:
    """Simulate a collection with the labels of two machines, one of which favours a run."""
    made = simulated(seed, systems=systems, topics=topics)
    judgments, runs = made["judgments"], made["runs"]
    favoured = {"generous": {"runs": runs, "favoured": runs.systems[:1], "lift": 2}, "careful": {}}
    sets = [
        simulate_labels(judgments, table, name=name, rng=seed, **favoured[name])
        for name, table in CONFUSIONS.items()
    ]
    costs = [{"run": run, "ms": 7.5 * (n % 5)} for n, run in enumerate(runs.systems)]
    return made | {"labels": join_labels(sets), "beside": costs}


def odd(topics: str) -> dict[str, Any]:
    """Make lists that are missing or short, two that are equal, and a topic without relevant."""
    lists = {
        "1": ["a", "x", "b", "c"],
        "2": ["e", "d"],
        "3": ["g", "h", "y"],
        "4": ["i", "j", "k", "l", "m", "n"],
    }
    rankings = {
        "twin": lists,
        "other twin": lists,
        "short": {"1": ["b"], "3": ["y", "g"], "4": ["z", "j"]},
        "back to front": {t: documents[::-1] for t, documents in lists.items()},
        "<stranger>": {t: [f"{t}u", *documents[1:], f"{t}v"] for t, documents in lists.items()},
    }
    grades = {
        "1": {"a": 2, "b": 1, "c": 0},
        "2": {"d": 0, "e": 0},
        "3": {"g": 1, "h": 0},
        "4": {"i": 1, "j": 0, "k": 2, "l": 1, "m": 0},
    }
    judgments = pw.Judgments.from_dict(grades)
    return {"judgments": judgments, "runs": pw.Runs.from_rankings(rankings), "topics": topics}


def far_below() -> dict[str, Any]:
    """Make six runs that find relevant documents, and one that finds next to none."""
    topics = [str(t) for t in range(8)]
    documents = {f"r{i}": 1 for i in range(8)} | {f"n{i}": 0 for i in range(8)}
    grades: dict[str, dict[str, float]] = {t: dict(documents) for t in topics}
    lists = {
        f"good {k}": {t: [f"r{(i + k) % 8}" for i in range(4 + (k + int(t)) % 2)] for t in topics}
        for k in range(6)
    }
    lists["astray"] = {t: [f"n{i}" for i in range(5)] for t in topics}
    return {"judgments": pw.Judgments.from_dict(grades), "runs": pw.Runs.from_rankings(lists)}


def made_cases() -> dict[str, Case]:
    """Return collections of several sizes, with and without baseline, groups, gaps."""
    few, three = {"systems": 6, "topics": 6}, ("AP@10", "R@10", "nDCG@10")
    return {
        "pool": Case(
            **simulated(3, systems=7, topics=9),
            measures=("nDCG@10", "AP@10", "Bpref"),
            baseline="bm25-1",
            seed=5,
        ),
        # In these four, some pairs are open though the ranges of the two runs lie apart.
        "many unjudged": Case(**simulated(3, **few, share=0.7), measures=three),
        "some unjudged": Case(
            **simulated(0, **few, share=0.9), measures=(*three, "RBP(p=0.8)"), baseline="ql-1"
        ),
        "few unjudged": Case(**simulated(2, **few, share=0.95), measures=three),
        "other few unjudged": Case(**simulated(5, **few, share=0.95), measures=three, seed=9),
        "many runs": Case(**simulated(5, systems=24, topics=5, share=0.7), measures=("AP@10",)),
        # Without groups every run is one, and there are enough of them to calibrate ranges.
        "own groups": Case(
            **simulated(6, systems=12, topics=6) | {"groups": None}, measures=("nDCG@10",)
        ),
        "all judged": Case(**simulated(7, **few, share=1.1), measures=("P@10",)),
        "labels": Case(**labelled(8, systems=8, topics=12), measures=("nDCG@10", "P@5")),
        "two runs": Case(**simulated(4, systems=2, topics=3), measures=("P@5",)),
        "gaps": Case(**odd("judged"), measures=("nDCG@5", "P@3"), baseline="short"),
        "common topics": Case(**odd("common"), measures=("nDCG@5",)),
        "one far below": Case(**far_below(), measures=("P@5",)),
    }


CASES = made_cases()


# ---- numbers as they are written, apart from the code that writes them


def decimals(number: float, digits: int = 4, sign: str = "") -> str:
    """Write a number, a minus as a minus, an unknown one as a dash."""
    return "–" if math.isnan(number) else f"{number:{sign}.{digits}f}".replace("-", "−")


def ends(low: float, high: float, sign: str = "") -> str:
    """Write a range."""
    return "–" if math.isnan(low) else f"{decimals(low, 4, sign)} to {decimals(high, 4, sign)}"


def p_value(p: float) -> str:
    """Write a p value."""
    return "<0.0001" if p < 0.0001 else decimals(p)


def short(number: float | None) -> float | None:
    """Return a number as charts hold it: five digits."""
    return None if number is None or math.isnan(number) else float(f"{number:.5g}")


def shortened(numbers: Iterable[float]) -> list[float | None]:
    """Return numbers as charts hold them."""
    return [short(float(number)) for number in numbers]


def plural(number: int, singular: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def some(names: list[str], most: int) -> str:
    """Return the first names, and how many more there are."""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def are(number: int) -> str:
    """Return the verb that goes with a number."""
    return "is" if number == 1 else "are"


# ---- what the API says


@dataclass
class Facts:
    """What the API says of one measure."""

    case: Case
    measure: str
    evidence: pw.Evidence

    @cached_property
    def scores(self) -> pw.Evaluation:
        """The scores, as evaluate has them."""
        wanted = [self.measure, "Judged@10", "Judged@100"]
        case = self.case
        return pw.evaluate(case.judgments, case.runs, wanted, topics=case.topics)

    @property
    def table(self) -> pw.ScoreTable:
        """The scores by the measure."""
        return self.scores[self.measure]

    @cached_property
    def judged(self) -> dict[str, float]:
        """Share of the first ten documents that are judged."""
        table = self.scores["Judged@10"]
        return dict(zip(table.systems, table.system_means().tolist(), strict=True))

    @cached_property
    def means(self) -> dict[str, float]:
        """The mean of each run."""
        return dict(zip(self.table.systems, self.table.means().tolist(), strict=True))

    @property
    def order(self) -> list[str]:
        """The runs, best first; those equal to 12 digits in the order given."""
        return sorted(self.means, key=lambda run: -round(self.means[run], 12))

    @cached_property
    def comparisons(self) -> pw.Comparisons | None:
        """All pairs; None where there are none."""
        if len(self.means) < 2 or not self.table.defined.any():
            return None
        return pw.compare_evidence(
            self.evidence, self.measure, draws=200, rng=self.case.seed, groups=self.case.groups
        )

    def against(self, baseline: str) -> pw.Comparisons:
        """All other runs against the baseline."""
        return pw.compare_evidence(
            self.evidence,
            self.measure,
            baseline=baseline,
            draws=200,
            rng=self.case.seed,
            groups=self.case.groups,
        )

    @property
    def calibrated(self) -> bool:
        """Whether draws may decide."""
        return self.comparisons is not None and self.comparisons.drawn.calibration is not None

    @cached_property
    def pairs(self) -> dict[frozenset[str], pw.Comparison]:
        """Each pair by its two runs, the one that is ahead first."""
        comparisons = self.comparisons or []
        return {frozenset((p.a, p.b)): p.better_first() for p in comparisons}

    @cached_property
    def judging(self) -> dict[frozenset[str], str]:
        """What judging leaves of the order of a pair, by the one maker of ranges."""
        if self.comparisons is None:
            return {}
        ranges = pw.findings.judgment_ranges(self.evidence, self.measure, self.comparisons.pairs)
        names = zip(ranges.first, ranges.second, ranges.verdict.tolist(), strict=True)
        return {frozenset((a, b)): verdict for a, b, verdict in names}

    @cached_property
    def ahead(self) -> dict[tuple[str, str], float]:
        """By how much the first of two runs is ahead of the second at least; NaN if not known."""
        ranges = pw.findings.judgment_ranges(self.evidence, self.measure, self.comparisons.pairs)
        _, low, high = ranges.means()
        pairs = list(zip(ranges.first, ranges.second, strict=True))
        least = dict(zip(pairs, low.tolist(), strict=True))
        return least | {(b, a): -end for (a, b), end in zip(pairs, high.tolist(), strict=True)}

    def never_behind(self, a: str, b: str) -> bool:
        """Return whether no judging puts a behind b, and some puts it ahead."""
        if self.judging.get(frozenset((a, b)), "open") in (RESTS, "open", "unknown", "equal"):
            return False
        return self.ahead[a, b] >= -1e-12

    @property
    def unknown(self) -> str:
        """Why nothing is known of the ranges of differences."""
        has_range = self.measure != "Bpref"
        return "" if has_range else f"Bpref has none: {pw.Bpref.no_range}"

    def places(self, run: str) -> tuple[int, int]:
        """Return the best and the worst place of a run."""
        best, worst = 1, len(self.means)
        for other in self.means:
            if other != run:
                best += self.never_behind(other, run)
                worst -= self.never_behind(run, other)
        return best, worst

    def could_lead(self) -> list[str]:
        """Return the runs that judging could put above the first, best first."""
        first, *others = self.order
        return self.turning(first, others)

    def turning(self, run: str, others: list[str]) -> list[str]:
        """Return the runs whose order with a run judging could reverse."""
        return [other for other in others if self.could_turn(run, other)]

    def could_turn(self, run: str, other: str) -> bool:
        """Return whether some judging reverses the order of two runs; a level one may gain."""
        judging = self.judging.get(frozenset((run, other)), "unknown")
        if judging in (RESTS, "unknown", "equal"):
            return False
        above = self.means[other] > self.means[run] + 1e-12
        pair = (other, run) if above else (run, other)
        return self.ahead[pair] < -1e-12

    def resting(self, run: str, others: list[str]) -> list[str]:
        """Return the runs whose order with a run rests on missing topics."""
        return [other for other in others if self.judging.get(frozenset((run, other))) == RESTS]

    @property
    def tested(self) -> bool:
        """Whether a run that wins on all topics does so by chance with a p value below 0.05."""
        return len(self.means) > 1 and 2 * 0.5 ** int(self.table.defined.sum()) < 0.05

    @property
    def too_few(self) -> str:
        """Why there is no test."""
        n = int(self.table.defined.sum())
        return (
            f"No test: {plural(n, 'topic')} {are(n)} too few for any difference to be significant "
            "at 0.05: a system that wins on all of them does so by chance with p = "
            f"{2 * 0.5**n:g}, and it takes 6 topics to tell."
        )

    def turned(self, run: str, others: list[str]) -> dict[str, float]:
        """Return in which share of draws each other run changes sides."""
        against = self.against(run)
        ahead = dict(zip(against.a, against.drawn.difference > 1e-12, strict=True))
        behind = dict(zip(against.a, against.drawn.difference < -1e-12, strict=True))
        level = round(self.means[run], 12)
        return {
            other: (behind if round(self.means[other], 12) > level else ahead)[other].mean()
            for other in others
        }

    def reversible(self) -> list[pw.Comparison]:
        """Return the pairs that judging could reverse."""
        return [p for names, p in self.pairs.items() if self.judging[names] == "open"]

    def verdict(self, pair: pw.Comparison) -> str:
        """Return the verdict on a pair."""
        judging = self.judging[frozenset((pair.a, pair.b))]
        significant = self.tested and pair.p_adjusted < 0.05
        certain = "certain" in judging
        if pair.rests_on:
            return RESTS
        if certain and significant:
            sure = pair.p_high_adjusted < 0.05
            return "holds" if sure else "order certain, significance open"
        forward = pair.drawn_ahead if self.calibrated else 0.0
        if not significant and (certain or "never behind" in judging or forward >= 0.95):
            return self.unless_drawn_otherwise(pair, "too few topics")
        if not significant:
            return self.unless_drawn_otherwise(pair, "open")
        return self.unless_drawn_otherwise(
            pair, "doubtful" if self.calibrated else "significant, judging unknown"
        )

    def unless_drawn_otherwise(self, pair: pw.Comparison, state: str) -> str:
        """Return a state, or what calibrated draws or level means make of it."""
        level = abs(pair.difference) < 1e-12
        if self.calibrated:
            against = max(pair.drawn_behind, pair.drawn_ahead if level else 0.0)
            if state == "doubtful" and pair.drawn_significant >= 0.95:
                return "very likely holds"
            if against >= 0.95:
                return "probably the other way round"
        return "level" if level else state

    @cached_property
    def tiers(self) -> dict[str, int]:
        """The tier of each run."""
        if self.comparisons is None:
            return dict.fromkeys(self.means, 1)
        tiers = pw.findings.tiers(self.table, pw.compare_scores(self.table)).tolist()
        return dict(zip(self.table.systems, tiers, strict=True))


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    """Return one collection after the other."""
    return CASES[request.param]


@pytest.fixture(scope="module")
def page(case: Case) -> Page:
    """Make the page of a collection and read it back."""
    return read_page(page_of(case))


def page_of(case: Case) -> str:
    """Make the page of a collection."""
    overview = pw.report(
        case.judgments,
        case.runs,
        case.measures,
        baseline=case.baseline,
        groups=case.groups,
        topics=case.topics,
        labels=case.labels,
        beside=case.beside,
        rng=case.seed,
    )
    return pw.html_page(overview, title="A page")


@pytest.fixture(scope="module")
def facts(case: Case) -> list[Facts]:
    """Return what the API says, by measure."""
    evidence = pw.align(judgments=case.judgments, runs=case.runs, topics=case.topics)
    return [Facts(case, measure, evidence) for measure in case.measures]


# ---- section by section


def test_the_page_says_how_large_the_input_is(case: Case, page: Page, facts: list[Facts]) -> None:
    """Runs, topics and judged documents are counted, and every measure can be chosen."""
    topics = set(facts[0].table.topics)
    judged = sum(topic in topics and grade >= 0 for topic, _, grade in case.judgments)
    assert page.counts == (
        f"{plural(len(case.runs.systems), 'run')} on {plural(len(topics), 'topic')}, with "
        f"{plural(judged, 'judged document')}."
    )
    assert page.title == "A page"
    assert page.measures == list(case.measures)


def test_every_table_and_chart_is_pinned(case: Case, page: Page, facts: list[Facts]) -> None:
    """What the page shows is what the tests below look at, and no more."""
    shown = {
        (section, measure, kind, name)
        for section, blocks in page.sections.items()
        for measure, block in blocks.items()
        for kind, names in (("table", block.tables), ("chart", block.charts))
        for name in names
    }
    expected = {("provenance", "", "table", "inputs")}
    expected |= {("similarity", "", "chart", name) for name in ("tree", "overlap")}
    if pw.findings.overlap_matrix(case.runs).near_duplicates():
        expected |= {("similarity", "", "table", "near-duplicates")}
    if unjudged_counts(case, facts[0]).any():
        expected |= {("judgments", "", "chart", "unjudged")}
    if case.labels:
        expected |= {("labels", "", "table", "labels-0")}
        if any(excess.favoured for excess in agreement_of(facts[0]).excesses.values()):
            expected |= {("labels", "", "table", "labels-favoured")}
    for fact in facts:
        expected |= expected_parts(fact)
        expected |= {("to-report", str(fact.measure), "table", f"checklist-{fact.measure}")}
    assert shown == expected


def expected_parts(facts: Facts) -> set[tuple[str, str, str, str]]:
    """Return the tables and charts that a measure has."""
    name = facts.measure
    sections = {("leaderboard", "table", "leaderboard"), ("judgments", "table", "judged")}
    sections |= {("topics", "chart", "topics"), ("topics", "table", "topics")}
    parts = {(section, name, kind, f"{what}-{name}") for section, kind, what in sections}
    parts |= {("differences", name, "chart", what) for what in ("pairs", "deltas")}
    parts |= {("power", name, "chart", "power")}
    if len(facts.means) > 2:
        parts |= {("topics", name, "chart", f"topics-s{name}")}
    if facts.reversible():
        parts |= {("judgments", name, "table", f"reversible-{name}")}
    if facts.case.baseline:
        parts |= {("differences", name, "table", f"against-{facts.case.baseline}-{name}")}
    parts |= {
        ("to-judge", name, "table", f"to-judge-{run}-{name}")
        for run in judged_for(facts)
        if settling(facts, run)
    }
    if unjudged_shares(facts).any():
        parts |= {("estimates", name, "chart", "estimates")}
        parts |= {("estimates", name, "table", f"estimates-{name}")}
    if facts.case.labels:
        parts |= {("labels", name, "table", f"labels-{name}")}
        parts |= {("labels", name, "chart", "label-means")}
    if facts.case.beside:
        parts |= {("beside", name, "table", f"beside-0-{name}")}
        parts |= {("beside", name, "chart", "pareto-0")}
    if drawn_of(facts):
        parts |= {("drawn", name, "chart", "drawn")}
    return parts


def drawn_of(facts: Facts) -> list[pw.scores.DrawnScores]:
    """Return the draws of the run with the most unjudged documents, where most is open."""
    shares = unjudged_shares(facts)
    if not shares.any():
        return []
    run = facts.table.systems[int(np.argmax(shares))]
    naive = pw.score(facts.evidence, facts.measure, bounds="naive")
    s = naive.systems.index(run)
    width = np.nan_to_num(naive.upper[s] - naive.value[s])
    try:
        pw.scores.estimate(facts.evidence, facts.measure, treatment="bootstrap")
    except pw.OptionError:
        return []
    return [
        pw.scores.draw_scores(
            facts.evidence, facts.measure, run=run, topic=naive.topics[t], rng=facts.case.seed
        )
        for t in np.argsort(-width, kind="stable")[:5].tolist()
        if width[t] > 0
    ]


def test_draws_are_those_of_the_command(page: Page, facts: list[Facts]) -> None:
    """Circles are the draws in hundredths, shapes the scores of other treatments."""
    for fact in facts:
        expected = drawn_of(fact)
        blocks = page.sections.get("drawn", {})
        if not expected:
            assert fact.measure not in blocks or not blocks[fact.measure].charts
            continue
        block = blocks[fact.measure]
        columns = block.charts["drawn"].columns
        rows = list(zip(*columns.values(), strict=True))
        assert list(columns) == ["topic", "what", "score", "share"]
        for draws in expected:
            single = {what: score for topic, what, score, _ in rows if topic == draws.topic}
            assert single["not relevant"] == short(draws.plain)
            assert single["condensed"] == short(draws.condensed)
            assert single["most frequent"] == short(draws.mode)
            assert single["naive upper bound"] == short(draws.highest)
            drawn = {x: y for t, what, x, y in rows if (t, what) == (draws.topic, "drawn")}
            assert sum(drawn.values()) == pytest.approx(1, abs=1e-3)
            for score, share in drawn.items():
                near = np.isclose(draws.values.round(2), score)
                assert share == pytest.approx(draws.shares[near].sum(), abs=1e-4)
        assert len({row[0] for row in rows}) == len(expected)
        first = expected[0]
        said = (
            f"On topic {first.topic}, {fact.measure} of {first.run} is {first.plain:.4f} with "
            f"unjudged documents as not relevant, and at most {first.highest:.4f} with the best "
            f"grades for them; in 95% of 1,000 draws it is at most {first.reached:.4f}."
        )
        assert block.paragraphs == [said]
        assert block.charts["drawn"].caption.startswith(f"{first.run}, the run with the most")


def test_the_leaderboard_has_places_tiers_means_and_both_ranges(
    case: Case, page: Page, facts: list[Facts]
) -> None:
    """Each row is what evaluate and tiers say of the run, in the order of the means."""
    for fact in facts:
        table = page.sections["leaderboard"][fact.measure].tables[f"leaderboard-{fact.measure}"]
        lower, upper = fact.table.mean_bounds()
        ci_low, ci_high = fact.table.interval(0.95)
        at = {run: s for s, run in enumerate(fact.table.systems)}
        model, low, high = plausible_of(fact)
        has_range = bool((~np.isnan(low)).any())
        expected = [
            [
                str(place),
                run,
                *([case.groups.of(run)] if case.groups else []),
                *([str(fact.tiers[run])] if fact.tested else []),
                decimals(fact.means[run]),
                "",
                ends(ci_low[at[run]], ci_high[at[run]]),
                ends(lower[at[run]], upper[at[run]]),
                *([ends(low[at[run]], high[at[run]])] if has_range else []),
                *([decimals(model.means()[at[run]])] if model is not None else []),
                decimals(fact.judged[run], 2),
                *(["yes" if run in fact.could_lead() else ""] if fact.could_lead() else []),
            ]
            for place, run in enumerate(fact.order, start=1)
        ]
        assert table.rows == expected
        tiers = [fact.tiers[run] for run in fact.order]
        starts = [i > 0 and tiers[i] != tiers[i - 1] for i in range(len(tiers))]
        assert table.marked == ["tier-start" if start else "" for start in starts]
        tiers_too = "; a line separates the tiers" if fact.tested else ""
        assert table.caption == f"Runs by mean {fact.measure}{tiers_too}"
        check_bars(table, fact)


def plausible_of(facts: Facts) -> tuple[pw.ScoreTable | None, np.ndarray, np.ndarray]:
    """Return the scores that the model expects, and their plausible ranges; NaN without any."""
    nothing = np.full(len(facts.table.systems), np.nan)
    if not unjudged_shares(facts).any():
        return None, nothing, nothing
    model = pw.scores.RelevanceModelTreatment(groups=facts.case.groups)
    try:
        estimated = pw.scores.estimate(
            facts.evidence, facts.measure, treatment=model, rng=facts.case.seed
        )
    except pw.OptionError:
        return None, nothing, nothing
    ranges = estimated.over_judgments
    return estimated, *((ranges.low, ranges.high) if ranges.over == "draws" else (nothing, nothing))


def check_bars(table: Table, facts: Facts) -> None:
    """Check that the bars of each row stand where their numbers are on the axis."""
    first, last = table.axis
    assert len(table.labels) > 1
    for mark, place in table.labels:
        assert place == pytest.approx((mark - first) / (last - first) * 100, abs=0.06)
    lower, upper = facts.table.mean_bounds()
    ci_low, ci_high = facts.table.interval(0.95)
    at = {run: s for s, run in enumerate(facts.table.systems)}
    _, low, high = plausible_of(facts)
    assert len(table.bars) == len(facts.order)
    for run, bars in zip(facts.order, table.bars, strict=True):
        s, mean = at[run], facts.means[run]
        numbers = {
            "unjudged": (lower[s], upper[s]),
            "plausible": (low[s], high[s]),
            "topics": (ci_low[s], ci_high[s]),
        }
        numbers = {k: v for k, v in numbers.items() if not math.isnan(v[0])} | {"mean": (mean,) * 2}
        assert bars.keys() == numbers.keys()
        for kind, both in numbers.items():
            x, width = bars[kind]
            within = [min(max(v, first), last) for v in both]
            place = [(v - first) / (last - first) * 1000 for v in within]
            # A thin bar is drawn six units wide, around where it is.
            thin = max(0.0, 6 - (place[1] - place[0]))
            assert x == pytest.approx(place[0] - thin / 2, abs=0.25)
            assert x + width == pytest.approx(place[1] + thin / 2, abs=0.35)


def test_the_leader_is_named_with_those_of_its_tier(
    case: Case, page: Page, facts: list[Facts]
) -> None:
    """The mean, the runs that share it and the runs of the first tier are named."""
    for fact in facts:
        block = page.sections["leaderboard"][fact.measure]
        first, *others = fact.order
        topics = plural(int(fact.table.defined.sum()), "topic")
        level = [run for run in others if abs(fact.means[run] - fact.means[first]) < 1e-12]
        over = f"{fact.means[first]:.4f}, over {topics}."
        lead = (
            f"{', '.join([first, *level[:-1]])} and {level[-1]} share the highest mean "
            f"{fact.measure}, {over}"
            if level
            else f"By judged documents {first} leads, with a mean {fact.measure} of {over}"
        )
        sentences = [lead, tier_words(fact)]
        if case.baseline:
            sentences = [*baseline_words(fact, case.baseline), *sentences]
        opening, *more = filter(None, sentences)
        assert block.paragraphs[0].startswith(opening)
        rest = " ".join(more)
        assert not rest or rest in block.paragraphs


def tier_words(facts: Facts) -> str:
    """Say which runs are not significantly different from the leader."""
    first, *others = facts.order
    if not facts.tested:
        return facts.too_few
    level = [run for run in others if abs(facts.means[run] - facts.means[first]) < 1e-12]
    others = [run for run in others if run not in level]
    beside = [run for run in others if facts.tiers[run] == 1]
    its, it = ("their", "them") if level else ("its", "it")
    if not others:
        return ""
    if len(others) == 1 and not level:
        return (
            f"{others[0]}, the other run, is {'not ' * len(beside)}significantly different from it."
        )
    if not beside:
        after = f"the next, {others[0]}, is significantly different"
        return f"No other run is in {its} tier: {after}."
    return (
        f"{plural(len(beside), 'more run')} {are(len(beside))} in {its} tier, not significantly "
        f"different from {it}: {some(beside, 8)}."
    )


def baseline_words(facts: Facts, baseline: str) -> list[str]:
    """Say the mean and the place of the baseline, and how many runs are better and worse."""
    mean, topics = facts.means[baseline], plural(int(facts.table.defined.sum()), "topic")
    place = 1 + sum(other > mean + 1e-12 for other in facts.means.values())
    said = (
        f"{baseline}, the baseline, has a mean {facts.measure} of {mean:.4f} over {topics}: place "
        f"{place} of {len(facts.means)}."
    )
    return [said, *better_and_worse(facts, baseline)]


def better_and_worse(facts: Facts, baseline: str) -> list[str]:
    """Count the runs that are significantly better and worse than the baseline."""
    comparisons = facts.against(baseline)
    better = sum(pair.p_adjusted < 0.05 and pair.difference > 0 for pair in comparisons)
    worse = sum(pair.p_adjusted < 0.05 and pair.difference < 0 for pair in comparisons)
    said = (
        f"{better} of {plural(len(comparisons), 'run')} {are(better)} significantly better than "
        f"{baseline}, and {worse} {are(worse)} worse, at 0.05 ({comparisons.test}, corrected: "
        f"{comparisons.correction})."
    )
    states = Counter(pair.state for pair in comparisons if pair.p_adjusted < 0.05)
    counts = counts_in_words(states)
    more = f" Of these {better + worse}, {counts}." if states and not facts.unknown else ""
    return [said + more] if facts.tested else []


def test_possible_and_plausible_are_told_apart(case: Case, page: Page, facts: list[Facts]) -> None:
    """The page says whose order with the baseline or the leader could turn, and how often it does.

    The shares are those of the draws that compare makes; a run whose order rests on missing
    topics is not among those that judging could put above.
    """
    for fact in facts:
        block = page.sections["leaderboard"][fact.measure]
        run = case.baseline or fact.order[0]
        others = [other for other in fact.order if other != run]
        expected = [f"What judging could change is not known, since {fact.unknown}."]
        if not fact.unknown:
            expected = [*outlook_words(fact, run, others), *resting_words(fact, run, others)]
        doubt, *more = expected
        assert block.paragraphs[0].endswith(doubt)
        assert block.paragraphs[len(block.paragraphs) - len(more) :] == more


def outlook_words(facts: Facts, run: str, others: list[str]) -> list[str]:
    """Say which orders with a run are possibly turned, and which plausibly."""
    leads = all(facts.means[other] <= facts.means[run] + 1e-12 for other in others)
    possible = facts.turning(run, others)
    if not possible:
        other = "another run" if len(others) > 1 else others[0]
        put = f"put {other} above {run}" if leads else f"reverse an order with {run}"
        return [f"No judging of the unjudged documents could {put}."]
    count = plural(len(possible), "other run")
    put = f"put {count} above {run}" if leads else f"reverse the order of {run} and {count}"
    listed = f": {some(possible, 8)}" if len(possible) <= 8 else ""
    possibly = f"what is possible: judging could {put}{listed}."
    shares = facts.turned(run, possible)
    where = f"above {run}" if leads else f"on the other side of {run}"
    plausible = [other for other in possible if shares[other] >= 0.05]
    drawn = f"200 draws of the judgments{'' if facts.calibrated else ' (not calibrated)'}"
    if not plausible:
        few = f"10 or more of {drawn}"
        return [f"What is plausible: no other run is {where} in {few}; {possibly}"]
    plausible.sort(key=lambda other: -shares[other])
    counts = [f"{other} in {round(shares[other] * 200)}" for other in plausible]
    counts[0] = f"{plausible[0]} is {where} in {round(shares[plausible[0]] * 200)}"
    first = "What is plausible"
    if leads and shares[plausible[0]] > 0.5:
        first = "If all were judged, draws suggest another leader"
    if leads and facts.calibrated and shares[plausible[0]] >= 0.95:
        first = "If all were judged, another run would probably lead"
    return [f"{first}: of {drawn}, {some(counts, 4)}; {possibly}"]


def resting_words(facts: Facts, run: str, others: list[str]) -> list[str]:
    """Say which orders with a run rest on missing topics."""
    resting = facts.resting(run, others)
    order = f"The order of {run} and {plural(len(resting), 'other run')} rests on topics that a run"
    return [f"{order} lacks, so that nothing is concluded: {some(resting, 8)}."] if resting else []


def test_notes_say_how_tiers_are_made_and_what_the_axis_leaves_out(
    page: Page, facts: list[Facts]
) -> None:
    """Below the leaderboard stand caveats, runs outside of the axis, and the test."""
    for fact in facts:
        block, comparisons = page.sections["leaderboard"][fact.measure], fact.comparisons
        assert comparisons is not None
        table = block.tables[f"leaderboard-{fact.measure}"]
        ends = np.stack([*fact.table.mean_bounds(), fact.table.means()])
        left = [
            run
            for s, run in enumerate(fact.table.systems)
            if np.nanmax(np.append(ends[:, s], fact.table.interval(0.95)[1][s])) < table.axis[0]
        ]
        bars = f"the bars of {'this run' if len(left) == 1 else 'these runs'} are cut off"
        begins = f"The axis begins at {table.axis[0]:g}, without {some(left, 5)}, far below"
        axis = [f"{begins} the others: {bars} at its edge."]
        tiers = (
            "A tier holds the runs that are not significantly different from its first run, at "
            f"0.05, by {comparisons.test}, corrected: {comparisons.correction}."
        )
        expected = [
            *fact.table.caveats(),
            *(axis if left else []),
            *([tiers] if fact.tested else []),
        ]
        assert block.notes == expected


def test_the_coverage_table_has_what_is_judged_and_what_that_leaves(
    case: Case, page: Page, facts: list[Facts]
) -> None:
    """Judged shares, residual, first unjudged ranks and possible places, the least judged first."""
    checked = pw.audit(judgments=case.judgments, runs=case.runs)
    for fact in facts:
        table = page.sections["judgments"][fact.measure].tables[f"judged-{fact.measure}"]
        columns = [t for t, topic in enumerate(checked.topics) if topic in fact.table.topics]
        first = checked.first_unjudged[:, columns]
        deep = fact.scores["Judged@100"].system_means()
        low, high = fact.table.mean_bounds()
        runs = sorted(fact.table.systems, key=lambda run: fact.judged[run])
        expected = []
        for run in runs:
            s = fact.table.systems.index(run)
            best, worst = fact.places(run)
            expected.append(
                [
                    run,
                    decimals(fact.judged[run], 2),
                    decimals(deep[s], 2),
                    decimals(high[s] - low[s]),
                    decimals(first[s].mean(), 1),
                    str(first[s].min()),
                    f"{best} to {worst}" if best < worst else str(best),
                ]
            )
        assert table.rows == expected
        if case.topics == "judged":
            assert [fact.judged[run] for run in checked.systems] == pytest.approx(
                checked.judged_at_10.tolist(), nan_ok=True
            )


def test_cautions_name_the_runs_that_judging_could_move(page: Page, facts: list[Facts]) -> None:
    """Thinly judged runs are named with the places that judging leaves them."""
    for fact in facts:
        block = page.sections["judgments"][fact.measure]
        cautions = [] if fact.unknown else unsettled(fact)
        assert block.warnings == (["Caution.", *cautions] if cautions else [])
        least = min(share for share in fact.judged.values() if not math.isnan(share))
        share = f"at least {least:.0%}" if least < 1 else "all"
        calm = f"Every run has {share} of its first 10 documents judged."
        assert block.paragraphs == [*([] if cautions else [calm]), turned(fact)]


def unsettled(facts: Facts) -> list[str]:
    """Say which thinly judged runs have no settled place."""
    said = []
    for run in sorted(facts.table.systems, key=lambda run: facts.judged[run]):
        best, worst = facts.places(run)
        if facts.judged[run] < 0.9 and best < worst:
            said.append(
                f"The judgments do not settle where {run} stands: {facts.judged[run]:.0%} of its "
                "first 10 documents are judged, and depending on the others its place is anything "
                f"from {best} to {worst} of {len(facts.means)}."
            )
    more = len(said) - 5
    return said[:5] + [f"The same is true of {plural(more, 'more run')}."] * (more > 0)


def turned(facts: Facts) -> str:
    """Say how many comparisons judging alone could reverse."""
    if facts.unknown:
        return f"Which orders judging could reverse is not known, since {facts.unknown}."
    reversible, total = facts.reversible(), plural(len(facts.pairs), "comparison")
    doubtful = sum(significant(facts, pair) for pair in reversible)
    if len(facts.pairs) == 1:
        return str(facts.comparisons[0].pair_verdict.sentence)
    if not reversible:
        return f"Judging could reverse none of {total}."
    return (
        f"What is possible: judging the unjudged documents could reverse {len(reversible):,} of "
        f"{total}; {doubtful:,} of these {are(doubtful)} significant over topics."
    )


def test_the_pairs_that_could_turn_are_listed(page: Page, facts: list[Facts]) -> None:
    """The first fifty reversible pairs, significant and large ones first, with their ranges."""
    for fact in facts:
        block = page.sections["judgments"][fact.measure]
        reversible = fact.reversible()
        if not reversible:
            assert f"reversible-{fact.measure}" not in block.tables
            continue
        table = block.tables[f"reversible-{fact.measure}"]
        shown = "all of them" if len(reversible) <= 50 else "the first 50"
        assert table.caption.endswith(f"that judging could reverse ({shown})")
        assert len(table.rows) == min(50, len(reversible))
        keys = []
        for a, b, difference, span, *p in table.rows:
            pair = fact.pairs[frozenset((a, b))]
            assert pair in reversible
            assert (pair.a, pair.b) == (a, b)
            assert difference == decimals(pair.difference)
            assert span == ends(pair.bound_low, pair.bound_high)
            assert p == ([p_value(pair.p_adjusted)] if fact.tested else [])
            keys.append((not significant(fact, pair), -pair.difference))
        assert keys == sorted(keys)
        every = sorted((not significant(fact, pair), -pair.difference) for pair in reversible)
        assert keys == every[: len(keys)]


def significant(facts: Facts, pair: pw.Comparison) -> bool:
    """Return whether a difference is significant, for which there must be enough topics."""
    return facts.tested and pair.p_adjusted < 0.05


def unjudged_counts(case: Case, facts: Facts) -> np.ndarray:
    """Count unjudged documents among the first ten, runs × topics."""
    graded = {(topic, document) for topic, document, grade in case.judgments if grade >= 0}
    return np.array(
        [
            [
                sum((topic, d) not in graded for d in ranking(case.runs, run, topic)[:10])
                for topic in facts.table.topics
            ]
            for run in facts.table.systems
        ]
    )


def ranking(runs: pw.Runs, run: str, topic: str) -> list[str]:
    """Return a list, empty for a topic that no run answers."""
    return runs.ranking(run, topic) if topic in runs.topics else []


def test_the_heat_map_has_the_unjudged_documents(
    case: Case, page: Page, facts: list[Facts]
) -> None:
    """Each cell counts the unjudged documents of a list's first ten; empty lists have none."""
    block, fact = page.sections["judgments"][""], facts[0]
    counts, table = unjudged_counts(case, fact), fact.table
    if not counts.any():
        assert block.paragraphs == [
            "The first 10 documents of every run are judged on every topic."
        ]
        return
    chart = block.charts["unjudged"]
    runs, topics = (int((counts > 0).any(axis=axis).sum()) for axis in (1, 0))
    assert chart.caption == (
        f"{runs} of {plural(len(counts), 'run')} and {topics} of "
        f"{plural(counts.shape[1], 'topic')} have unjudged documents among the first 10."
    )
    rows = np.argsort(-counts.sum(axis=1), kind="stable").tolist()
    columns = np.argsort(-counts.sum(axis=0), kind="stable").tolist()
    cells = [
        (table.systems[s], table.topics[t], int(counts[s, t]))
        for s in rows
        for t in columns
        if ranking(case.runs, table.systems[s], table.topics[t])
    ]
    assert list(zip(*chart.columns.values(), strict=True)) == cells
    assert list(chart.columns) == ["run", "topic", "unjudged"]


def test_every_pair_has_its_numbers_and_its_verdict(page: Page, facts: list[Facts]) -> None:
    """Each row of the matrix is what compare says, and the verdict follows from p and range."""
    for fact in facts:
        chart = page.sections["differences"][fact.measure].charts["pairs"]
        names = list(chart.columns)
        rows = [dict(zip(names, c, strict=True)) for c in zip(*chart.columns.values(), strict=True)]
        assert len(rows) == len(fact.pairs)
        for row in rows:
            pair = fact.pairs[frozenset((row["better"], row["worse"]))]
            assert row == {
                "better": pair.a,
                "worse": pair.b,
                "difference": short(pair.difference),
                "lowest": short(pair.bound_low),
                "highest": short(pair.bound_high),
                **(
                    {"p": short(pair.pvalue), "p_corrected": short(pair.p_adjusted)}
                    if fact.tested
                    else {}
                ),
                "effect_size": short(pair.effect_size),
                "wins": pair.wins,
                "ties": pair.ties,
                "losses": pair.losses,
                "state": fact.verdict(pair),
            }
        level = {run: round(mean, 12) for run, mean in fact.means.items()}
        means = [(-level[row["better"]], -level[row["worse"]]) for row in rows]
        assert means == sorted(means)


def test_the_ranges_of_pairs_have_one_maker(page: Page, facts: list[Facts]) -> None:
    """The ends in the matrix are the mean ends of judgment_ranges."""
    for fact in facts:
        if fact.unknown:
            continue
        columns = page.sections["differences"][fact.measure].charts["pairs"].columns
        place = {run: s for s, run in enumerate(fact.evidence.systems)}
        at = ([place[run] for run in columns[side]] for side in ("better", "worse"))
        pairs = type(fact.comparisons.pairs)(*map(np.array, at))  # type: ignore[union-attr] # is there
        value, low, high = pw.findings.judgment_ranges(fact.evidence, fact.measure, pairs).means()
        for said, values in (("difference", value), ("lowest", low), ("highest", high)):
            assert columns[said] == pytest.approx(values.tolist(), rel=1e-4, abs=1e-9)


def wrong_words(facts: Facts) -> str:
    """Say how many of the orders that very likely hold draws speak against, in sum."""
    states = {names: facts.verdict(pair) for names, pair in facts.pairs.items()}
    likely = [names for names, state in states.items() if state == "very likely holds"]
    sure = sum(state == "holds" for state in states.values())
    if not likely:
        return ""
    wrong = math.ceil(sum(1 - facts.pairs[names].drawn_ahead for names in likely) - 1e-9)
    among = f"the {len(likely) + sure} that {'hold or ' if sure else ''}very likely hold"
    if not wrong:
        return f" No wrong order is to be expected among {among}."
    return (
        f" At most about {plural(wrong, 'wrong order')} {are(wrong)} to be expected among {among}."
    )


def test_verdicts_are_counted(page: Page, facts: list[Facts]) -> None:
    """The sentences count the pairs of each verdict, and say how they were tested."""
    for fact in facts:
        block = page.sections["differences"][fact.measure]
        pairs = fact.comparisons
        assert pairs is not None
        states = Counter(fact.verdict(pair) for pair in fact.pairs.values())
        said = pairs.headline() if len(pairs) > 1 else pairs[0].pair_verdict.sentence
        if len(pairs) > 1 and not fact.unknown:
            number = sum(significant(fact, pair) for pair in fact.pairs.values())
            assert f"{number} of {plural(len(pairs), 'pair')} {are(number)} significantly" in said
            for state, words in COUNTED.items():
                match = re.search(rf"(\d+) {words}", said)
                assert int(match[1] if match else 0) == states[state]
        if len(pairs) > 1:
            said += wrong_words(fact)
        resting = [pair.rests_on for pair in pairs if pair.rests_on]
        if resting and len(pairs) > 1:
            said += (
                f" {len(resting)} rest{'s' * (len(resting) == 1)} on topics that a run lacks, so "
                f"that nothing is concluded; such as {resting[0].partition(',')[0]}."
            )
        if fact.unknown:
            said += f" Which orders judging could reverse is not known, since {fact.unknown}."
        assert block.paragraphs[0] == said
        (note,) = block.notes
        tested = f"The p values are those of the {pairs.test}, corrected: {pairs.correction}."
        assert (tested if fact.tested else fact.too_few) in note
        assert ("every assignment of grades" in note) == (not fact.unknown)


def test_any_two_runs_have_their_deltas(case: Case, page: Page, facts: list[Facts]) -> None:
    """The chart has the difference on each topic, its title wins, ties and losses."""
    for fact in facts:
        block = page.sections["differences"][fact.measure]
        a = next(run for run in fact.order if run != case.baseline)
        b = case.baseline or fact.order[1]
        assert block.chosen == [a, b]
        first, second = fact.table.select([a, b]).value
        deltas = {
            topic: float(x - y) if abs(x - y) > fact.table.tolerance else 0.0
            for topic, x, y in zip(fact.table.topics, first, second, strict=True)
            if not math.isnan(x - y)
        }
        columns = block.charts["deltas"].columns
        assert columns["topic"] == sorted(deltas, key=lambda topic: -deltas[topic])
        assert columns["difference"] == shortened(deltas[topic] for topic in columns["topic"])
        comparison = pw.compare_pair(fact.table, a, b)
        outcome = ", ".join(
            [
                plural(comparison.wins, "win"),
                plural(comparison.ties, "tie"),
                plural(comparison.losses, "loss", "losses"),
            ]
        )
        assert block.charts["deltas"].caption == f"{a} − {b}: {outcome}"
        assert block.scores["systems"] == list(fact.table.systems)
        assert block.scores["topics"] == list(fact.table.topics)
        assert block.scores["scores"] == shortened(fact.table.value.ravel())


def test_all_runs_stand_against_the_baseline(case: Case, page: Page, facts: list[Facts]) -> None:
    """The table and the count of better and worse runs are those of compare."""
    for fact in facts:
        block = page.sections["differences"][fact.measure]
        if case.baseline is None:
            assert block.titles == ["Any two runs, topic by topic"]
            assert len(block.paragraphs) == 1
            continue
        comparisons = fact.against(case.baseline)
        pairs = sorted(comparisons, key=lambda pair: -pair.difference)
        table = block.tables[f"against-{case.baseline}-{fact.measure}"]
        assert table.rows == [
            [
                pair.a,
                decimals(pair.difference),
                ends(*pair.interval(0.95), sign="+"),
                *([p_value(pair.pvalue), p_value(pair.p_adjusted)] if fact.tested else []),
                decimals(pair.effect_size, 2),
                str(pair.wins),
                str(pair.ties),
                str(pair.losses),
                *([] if fact.unknown else [pair.state]),
            ]
            for pair in pairs
        ]
        assert block.titles[-1] == f"Against the baseline, {case.baseline}"
        assert block.paragraphs[1:] == better_and_worse(fact, case.baseline)


def spread_of(table: pw.ScoreTable, topic: str) -> dict[str, float]:
    """Return the distribution of scores on a topic."""
    values = np.sort(table.value[:, table.topics.index(topic)])
    names = ("lowest", "quarter", "median", "three_quarters", "highest")
    spread = {n: float(np.percentile(values, 25 * i)) for i, n in enumerate(names)}
    return spread | {"deviation": float(np.sqrt(((values - values.mean()) ** 2).mean()))}


def by_median(table: pw.ScoreTable) -> list[str]:
    """Return the topics that every run has a score on, the highest median first."""
    topics = [t for t, defined in zip(table.topics, table.defined, strict=True) if defined]
    return sorted(topics, key=lambda topic: -spread_of(table, topic)["median"])


def test_topics_have_the_spread_of_scores(case: Case, page: Page, facts: list[Facts]) -> None:
    """Charts and table have quantiles, deviation, judged and relevant counts and the best run."""
    grades = {(topic, document): grade for topic, document, grade in case.judgments}
    for fact in facts:
        block = page.sections["topics"][fact.measure]
        topics = by_median(fact.table)
        spread = {topic: spread_of(fact.table, topic) for topic in topics}
        raw = block.charts[f"topics-{fact.measure}"].columns
        assert raw["topic"] == topics
        for name in list(raw)[1:]:
            expected = [spread[topic][name] for topic in topics]
            assert raw[name] == pytest.approx(expected, rel=1e-4, abs=1e-9)
        rows = []
        for topic in topics:
            mine = [grade for (t, _), grade in grades.items() if t == topic and grade >= 0]
            values = fact.table.value[:, fact.table.topics.index(topic)]
            rows.append(
                [
                    topic,
                    str(len(mine)),
                    str(sum(grade >= 1 for grade in mine)),
                    *(
                        decimals(spread[topic][n], 3)
                        for n in ("median", "lowest", "highest", "deviation")
                    ),
                    some(
                        [
                            s
                            for s, v in zip(fact.table.systems, values, strict=True)
                            if v > max(values) - 1e-12
                        ],
                        1,
                    ),
                ]
            )
        assert block.tables[f"topics-{fact.measure}"].rows == rows


def test_the_documents_behind_topics_are_those_of_show(
    case: Case, page: Page, facts: list[Facts]
) -> None:
    """Every topic has the documents, grades and first ranks that show has."""
    content = page.sections["documents"][""].documents
    answered = [
        t for t in facts[0].table.topics if any(ranking(case.runs, s, t) for s in case.runs.systems)
    ]
    assert sorted(entry["topic"] for entry in content["topics"]) == sorted(answered)
    shown = unjudged = 0
    for entry in content["topics"]:
        listing = pw.workflows.show(case.judgments, case.runs, entry["topic"])
        assert entry["documents"] == list(listing.documents)
        assert entry["grades"] == [None if math.isnan(g) else g for g in listing.grades]
        for system, places in zip(content["systems"], entry["lists"], strict=True):
            listed = [listing.documents[d] for d in places]
            assert listed == ranking(case.runs, system, entry["topic"])[:10]
        shown, unjudged = shown + len(listing.documents), unjudged + entry["grades"].count(None)
    assert page.sections["documents"][""].paragraphs == [
        (
            f"The first 10 documents of every run on {plural(len(answered), 'topic')} are shown; "
            f"{unjudged:,} of {shown:,} {are(unjudged)} unjudged."
        )
    ]


def test_topics_that_decide_are_named(page: Page, facts: list[Facts]) -> None:
    """Easy, hard and divided topics are named, and how far medians and means go apart."""
    for fact in facts:
        block = page.sections["topics"][fact.measure]
        topics = by_median(fact.table)
        spread = {topic: spread_of(fact.table, topic) for topic in topics}
        n = max(1, min(3, len(topics) // 2))
        deviation = np.array([round(spread[topic]["deviation"], 12) for topic in topics])
        divided = [topics[t] for t in np.argsort(-deviation, kind="stable")[:n].tolist()]
        word = "topic" if n == 1 else "topics"
        assert block.paragraphs == [
            (
                f"Easiest {are(n)} {word} {', '.join(topics[:n])}, hardest {word} "
                f"{', '.join(topics[::-1][:n])}. The runs disagree most on {word} "
                f"{', '.join(divided)}."
            )
        ]
        medians = [spread[topic]["median"] for topic in topics]
        means = list(fact.means.values())
        more = max(medians) - min(medians) > max(means) - min(means)
        assert block.charts[f"topics-{fact.measure}"].caption == (
            f"Topics differ {'more' if more else 'no more'} than runs: the median {fact.measure} "
            f"goes from {max(medians):.2f} to {min(medians):.2f} over topics, the mean from "
            f"{max(means):.2f} to {min(means):.2f} over runs."
        )


def test_standardized_scores_keep_the_order_of_topics(page: Page, facts: list[Facts]) -> None:
    """The second chart has the quantiles of standardized scores, topics as in the first."""
    for fact in facts:
        if len(fact.means) < 3:
            continue
        standardized = pw.standardize(fact.table)
        chart = page.sections["topics"][fact.measure].charts[f"topics-s{fact.measure}"]
        topics = by_median(fact.table)
        assert chart.columns["topic"] == topics
        spread = {topic: spread_of(standardized, topic) for topic in topics}
        for name in list(chart.columns)[1:]:
            expected = [spread[topic][name] for topic in topics]
            assert chart.columns[name] == pytest.approx(expected, rel=1e-4, abs=1e-9)
        far = max(topics, key=lambda topic: spread[topic]["highest"])
        assert chart.caption.endswith(f"furthest on topic {far}.")


def unjudged_shares(facts: Facts) -> np.ndarray:
    """Return each run's share of unjudged documents among those that count for the measure."""
    depth = getattr(pw.parse_measure(facts.measure), "cutoff", None)
    graded = {(topic, document) for topic, document, g in facts.case.judgments if g >= 0}
    shares = []
    for run in facts.table.systems:
        lists = [(t, ranking(facts.case.runs, run, t)[:depth]) for t in facts.table.topics]
        judged = [(t, d) in graded for t, documents in lists for d in documents]
        shares.append(judged.count(False) / max(1, len(judged)))
    return np.array(shares)


def test_estimates_are_those_of_estimate(case: Case, page: Page, facts: list[Facts]) -> None:
    """Means by treatment, drawn ranges and bounds, for the runs with the most unjudged."""
    for fact in facts:
        shares = unjudged_shares(fact)
        affected = np.flatnonzero(shares)
        if not len(affected):
            assert fact.measure not in page.sections.get("estimates", {})
            continue
        block = page.sections["estimates"][fact.measure]
        chosen = affected[np.argsort(-shares[affected], kind="stable")][:20]
        runs = [fact.table.systems[s] for s in chosen.tolist()]
        means, drawn, refused = estimates_of(case, fact, chosen)
        low, high = (bound[chosen] for bound in fact.table.mean_bounds())
        table = block.tables[f"estimates-{fact.measure}"]
        assert table.headings == ["run", "unjudged", *means, "bounds"]
        assert table.rows == [
            [
                run,
                decimals(shares[chosen[i]], 2),
                *(decimals(values[i]) for values in means.values()),
                ends(low[i], high[i]),
            ]
            for i, run in enumerate(runs)
        ]
        check_estimate_chart(block, runs, means, drawn, (low, high))
        have = "has" if len(affected) == 1 else "have"
        shown = f"; the {plural(len(runs), 'run')} with the most are shown"
        affects = (
            f"{len(affected)} of {plural(len(shares), 'run')} {have} unjudged documents that "
            f"count for {fact.measure}{shown if len(affected) > 20 else ''}."
        )
        assert block.paragraphs == [" ".join([affects, *calibration_words(case, fact)])]
        if not fact.unknown:
            widest = int(np.argmax(high - low))
            assert block.charts["estimates"].caption == (
                f"What {runs[widest]} scores by {fact.measure} depends most on the treatment: "
                f"between {low[widest]:.3f} and {high[widest]:.3f} is possible."
            )
        outside = {
            name: [
                run
                for run, mean, a, b in zip(runs, values, low, high, strict=True)
                if mean < a - 1e-12 or mean > b + 1e-12
            ]
            for name, values in means.items()
        }
        assert block.notes == [
            *(
                f"By {name}, the mean {fact.measure} of {some(wrong, 5)} is impossible: no grades "
                "of the unjudged documents give it."
                for name, wrong in outside.items()
                if wrong
            ),
            *(f"The treatment {n} is left out: {why}" for n, why in refused.items()),
        ]


def calibration_words(case: Case, facts: Facts) -> list[str]:
    """Return what the page says of the model's range: its level, or that it has none, and why."""
    model = pw.scores.RelevanceModelTreatment(groups=case.groups)
    try:
        estimated = pw.scores.estimate(
            facts.evidence, facts.measure, treatment=model, rng=case.seed
        )
    except pw.OptionError:
        return []
    meaning, *others = estimated.over_judgments.meaning
    said = re.fullmatch(
        r"The ranges by the model hold the mean of a new (group|run|kind of run) with a "
        r"probability of about (\d+)%, as they did for (\d+) (groups|runs|kinds of runs) left out "
        r"in turn\.",
        meaning,
    )
    assert bool(said) == (estimated.over_judgments.over == "draws")
    if said:
        level, units = int(said[2]), int(said[3])
        assert 5 <= units <= len(set(case.groups.labels if case.groups else case.runs.systems))
        assert level == round(100 * min(0.95, units / (units + 1)))
    else:
        assert re.search(r"\d (pooled groups?|kinds? of pooled runs), 5 are needed\.", meaning)
    assert any(text.startswith("Pool: ") for text in others)
    return [" ".join(estimated.over_judgments.meaning)]


def estimates_of(
    case: Case, facts: Facts, chosen: np.ndarray
) -> tuple[dict[str, list[float]], np.ndarray | None, dict[str, str]]:
    """Return means by treatment, the model's calibrated range, and what is refused."""
    treatments: dict[str, Any] = {
        "model": pw.scores.RelevanceModelTreatment(groups=case.groups),
        "nonrelevant": "nonrelevant",
        "condensed": "condensed",
        "bootstrap": "bootstrap",
        "bias-systems": pw.scores.BiasFromSystems(groups=case.groups),
    }
    means: dict[str, list[float]] = {}
    refused, plausible = {}, None
    for name, treatment in treatments.items():
        try:
            table = pw.scores.estimate(
                facts.evidence, facts.measure, treatment=treatment, rng=case.seed
            )
            means[name] = table.means()[chosen].tolist()
            if name == "model" and table.over_judgments.over == "draws":
                plausible = np.stack([ends[chosen] for ends in table.mean_bounds()])
        except pw.OptionError as error:
            refused[name] = str(error)
    return means, plausible, refused


def check_estimate_chart(
    block: Block,
    runs: list[str],
    means: dict[str, list[float]],
    drawn: np.ndarray | None,
    bounds: tuple[np.ndarray, np.ndarray],
) -> None:
    """Check every row of the chart: a point, or a range."""
    expected: dict[tuple[str, str], tuple[float | None, ...]] = {
        (run, name): (short(values[i]), None, None)
        for name, values in means.items()
        for i, run in enumerate(runs)
    }
    expected |= {
        (run, "bounds"): (None, short(bounds[0][i]), short(bounds[1][i]))
        for i, run in enumerate(runs)
        if not np.isnan(bounds[0][i])
    }
    if drawn is not None:
        expected |= {
            (run, "plausible range by model"): (None, short(drawn[0, i]), short(drawn[1, i]))
            for i, run in enumerate(runs)
        }
    columns = block.charts["estimates"].columns
    rows = list(zip(*columns.values(), strict=True))
    assert list(columns) == ["run", "treatment", "mean", "low", "high"]
    assert {row[:2]: row[2:] for row in rows} == expected
    assert len(rows) == len(expected)
    assert "plausible by the relevance model" in block.charts["estimates"].notes[0]


def test_a_case_has_calibrated_ranges() -> None:
    """Among the collections above is one whose page gives the level that groups can promise."""
    case = CASES["own groups"]
    facts = Facts(case, "nDCG@10", pw.align(case.judgments, case.runs))
    assert "about 91%, as they did for 10 runs" in calibration_words(case, facts)[0]


def agreement_of(facts: Facts) -> pw.findings.LabelAgreement:
    """Return what agree says of the labels, and of the runs by a measure."""
    case = facts.case
    return pw.agree(
        case.labels, against=case.judgments, runs=case.runs, measure=facts.measure, rng=case.seed
    )


def test_labels_are_those_of_agree(case: Case, page: Page, facts: list[Facts]) -> None:
    """Agreement, effects on conclusions, means by labels and favoured runs are those of agree."""
    if case.labels is None:
        assert "labels" not in page.sections
        return
    blocks = page.sections["labels"]
    first = agreement_of(facts[0])
    rows = blocks[""].tables["labels-0"].rows
    assert [row[0] for row in rows] == list(case.labels.names)
    for row, pair in zip(rows, first.pairs, strict=True):
        plain = pair.kappas["nominal"]
        assert row[2:4] == [decimals(plain.value), f"{plain.low:.3f} to {plain.high:.3f}"]
        assert row[4:6] == [str(len(case.judgments.topics)), str(pair.documents)]
        assert row[9] == decimals(pair.kappas["quadratic"].value)
    favoured = [
        [name, run, decimals(e.value[s]), f"± {e.half_width[s]:.3f}", p_value(e.pvalue[s])]
        for name, e in first.excesses.items()
        for run in e.favoured
        for s in [e.systems.index(run)]
    ]
    shown = blocks[""].tables.get("labels-favoured")
    assert favoured == ([] if shown is None else shown.rows)
    said = " ".join(blocks[""].paragraphs)
    assert all(("favours no run" in said) or run in said for _, run, *_ in favoured[:1])
    assert (
        blocks[""]
        .notes[-1]
        .startswith(
            f"{plural(len(case.judgments), 'label')} by people, {len(case.labels):,} by machines."
        )
    )
    for fact in facts:
        check_conclusions(blocks[fact.measure], fact)


def test_the_front_beside_costs_is_that_of_brute_force(
    case: Case, page: Page, facts: list[Facts]
) -> None:
    """Each run stands there with both means, and on the front if no other is better in both."""
    if case.beside is None:
        assert "beside" not in page.sections
        return
    cost = {row["run"]: row["ms"] for row in case.beside}
    for fact in facts:
        front = {
            run
            for run, mean in fact.means.items()
            if not any(
                other >= mean and cost[b] <= cost[run] and (other, cost[b]) != (mean, cost[run])
                for b, other in fact.means.items()
            )
        }
        block = page.sections["beside"][fact.measure]
        columns = block.charts["pareto-0"].columns
        points = zip(columns["run"], columns["side_mean"], columns["on_front"], strict=True)
        assert {(run, ms, on) for run, ms, on in points} == {
            (run, cost[run], "yes" if run in front else "no") for run in fact.means
        }
        for row in block.tables[f"beside-0-{fact.measure}"].rows:
            assert row[1:3] == [decimals(fact.means[row[0]]), f"{cost[row[0]]:.1f}"]
            assert row[3].startswith("front") == (row[0] in front)


def check_conclusions(block: Block, facts: Facts) -> None:
    """Check what labels make of the runs by a measure, by scores that are made here."""
    agreement = agreement_of(facts)
    case = facts.case
    assert block.paragraphs[0].startswith(agreement.supported())
    columns = block.charts["label-means"].columns
    for row, (name, seen) in zip(
        block.tables[f"labels-{facts.measure}"].rows, agreement.conclusions.items(), strict=True
    ):
        judged = case.labels.predictions(name)
        machine = pw.score(pw.align(judged, case.runs), facts.measure, bounds="none")
        people = pw.score(facts.evidence, facts.measure, bounds="none")
        means = [np.nan_to_num(table.value).mean(axis=1) for table in (people, machine)]
        assert row[:2] == [name, decimals(float((means[1] - means[0]).mean()))]
        counts = (seen.significant, seen.kept, seen.lost, seen.reversed, seen.gained)
        assert row[5:] == [str(count) for count in counts]
        assert row[2] == decimals(seen.tau)
        at = [i for i, which in enumerate(columns["set"]) if which == name]
        assert [columns["run"][i] for i in at] == list(case.runs.systems)
        for key, values in zip(("people", "labels"), means, strict=True):
            assert [columns[key][i] for i in at] == shortened(values)


def test_similar_runs_are_those_of_the_overlap_matrix(case: Case, page: Page) -> None:
    """The tree, the cells of the matrix, families and near-duplicates are those of overlaps."""
    from scipy.cluster import hierarchy

    block = page.sections["similarity"][""]
    overlap = pw.findings.overlap_matrix(case.runs)
    tree = pw.findings.cluster_runs(overlap)
    cells = block.charts["overlap"].columns
    at = {run: i for i, run in enumerate(overlap.systems)}
    assert cells["run"] == [run for run in tree.order for _ in tree.order]
    assert cells["other"] == list(tree.order) * len(tree.order)
    assert cells["overlap"] == [
        short(overlap.ext[at[a], at[b]]) for a in tree.order for b in tree.order
    ]
    drawn = hierarchy.dendrogram(tree.merges, no_plot=True)
    expected = set()
    for rows, distances in zip(drawn["icoord"], drawn["dcoord"], strict=True):
        corners = list(zip(distances, ((row - 5) / 10 for row in rows), strict=True))
        expected |= {lines_of(a, b) for a, b in pairwise(corners)}
    lines = block.charts["tree"].columns
    said = {lines_of((x, y), (x2, y2)) for x, x2, y, y2 in zip(*lines.values(), strict=True)}
    assert said == expected
    families = [group for group in tree.groups(within=0.5) if len(group) > 1]
    have = "has" if len(families) == 1 else "have"
    assert block.charts["tree"].caption == (
        f"{plural(len(families), 'family', 'families')} of runs {have} a mean overlap of 0.5 or "
        f"more; the largest has {plural(max(map(len, families)), 'run')}."
        if families
        else "No two runs overlap by 0.5 or more."
    )
    check_twins(block, overlap)


def lines_of(a: tuple[float, float], b: tuple[float, float]) -> frozenset[Any]:
    """Return a line as a set of two corners, as charts hold them."""
    return frozenset((short(x), short(y)) for x, y in (a, b))


def check_twins(block: Block, overlap: pw.findings.OverlapMatrix) -> None:
    """Check the near-duplicates and their number."""
    twins = overlap.near_duplicates()
    if twins:
        rows = block.tables["near-duplicates"].rows
        assert rows == [[a, b, decimals(value)] for a, b, value in twins]
        there = f"There {are(len(twins))} {plural(len(twins), 'pair')} of near-duplicates"
        assert block.paragraphs[0] == f"{there}, with an overlap of 0.95 or more."
    else:
        none = "There are no near-duplicates: no two runs overlap by 0.95 or more."
        assert block.paragraphs[0] == none
    assert block.notes == ["Rank-biased overlap at p = 0.9, mean over topics; average linkage."]


def judged_for(facts: Facts) -> list[str]:
    """Return the leader and the baseline, where an order with another run is open."""
    runs = dict.fromkeys(filter(None, (facts.order[0], facts.case.baseline)))
    return [run for run in runs if any(run in names for names in open_pairs(facts))]


def open_pairs(facts: Facts) -> list[frozenset[str]]:
    """Return the pairs whose order judging could reverse."""
    return [names for names, verdict in facts.judging.items() if verdict == "open"]


def settling(facts: Facts, run: str) -> list[list[str]]:
    """Return what to judge for a run, worked out by scoring again with each document relevant."""
    pairs = [tuple(names) for names in open_pairs(facts) if run in names]
    measure = pw.parse_measure(facts.measure)
    depth = min(measure.depth or 20, 20)
    candidates = pw.judging.candidates_of(facts.evidence, depth=depth)
    at = {system: s for s, system in enumerate(facts.evidence.systems)}
    every = np.arange(len(at))
    gains = document_gains(facts.evidence, measure, candidates, every)
    rows = []
    for topic, gain in zip(candidates, gains, strict=True):
        moved = np.array([gain[at[a]] - gain[at[b]] for a, b in pairs])
        moved = moved / len(facts.evidence.topics)
        for d, document in enumerate(topic.documents):
            swing = float(np.abs(moved[:, d]).sum())
            cells = [topic.topic, document, str(topic.best_ranks[d]), str(topic.holders[d])]
            moves = str(np.count_nonzero(moved[:, d].round(12)))
            rows.append((round(swing, 12), [*cells, moves, decimals(swing)]))
    rows.sort(key=lambda row: -row[0])
    return [cells for swing, cells in rows if swing > 0]


def test_what_to_judge_next_is_what_moves_most(page: Page, facts: list[Facts]) -> None:
    """For the leader and the baseline, the documents that move their open orders are listed."""
    for fact in facts:
        wanted = judged_for(fact)
        block = page.sections.get("to-judge", {}).get(fact.measure)
        if block is None:
            assert not wanted
            continue
        for run in wanted:
            rows = settling(fact, run)
            if rows:
                shown = block.tables[f"to-judge-{run}-{fact.measure}"].rows
                # Documents that move as much may come in any order.
                assert [row[-1] for row in shown] == [row[-1] for row in rows[:10]]
                assert all(row in rows for row in shown)
                assert len({(topic, document) for topic, document, *_ in shown}) == len(shown)
        for run, said in zip(wanted, block.paragraphs, strict=False):
            count = sum(run in names for names in open_pairs(fact))
            assert f"{plural(count, 'order')} of {run} and another run" in said


def test_power_is_that_of_collection_power(page: Page, facts: list[Facts]) -> None:
    """The sentences and both curves are those of collection_power; a line marks the topics."""
    for fact in facts:
        block = page.sections["power"][fact.measure]
        power = pw.findings.collection_power(fact.table)
        assert block.paragraphs == [" ".join(power.sentences())]
        for number in (power.detectable_median, power.detectable_95, power.sigma_median):
            assert f"{number:.3f}" in block.paragraphs[0]
        columns = block.charts["power"].columns
        sigma = {"median pair": power.sigma_median, "95th percentile": power.sigma_95}
        assert set(columns["spread"]) == set(sigma)
        effect = pw.findings.detectable_effect(
            np.array(columns["topics"], float), power=0.8, alpha=0.05
        )
        expected = [
            sigma[spread] * size for spread, size in zip(columns["spread"], effect, strict=True)
        ]
        assert columns["difference"] == pytest.approx(expected, rel=1e-4)
        assert len(columns["topics"]) == 2 * len(set(columns["topics"]))
        rule = block.charts["power"].spec["layer"][1]["encoding"]["x"]
        assert rule == {"datum": int(fact.table.defined.sum())}


def test_the_page_says_how_it_was_made(case: Case, page: Page, facts: list[Facts]) -> None:
    """Options, remarks, notices and inputs are those of the audit and the provenance."""
    terms, runs = page.terms, len(case.runs.systems)
    assert terms["runs"] == f"{runs}, listed below"
    assert terms["measures"] == ", ".join(case.measures)
    assert terms["topics"].startswith(f"{case.topics}: ")
    assert (terms["seed"], terms["draws"], terms["alpha"]) == (str(case.seed), "200", "0.05")
    assert terms.get("baseline") == case.baseline
    checked = pw.audit(judgments=case.judgments, runs=case.runs)
    remarks = [str(remark) for remark in checked.remarks()]
    notices = [str(notice) for notice in facts[0].evidence.provenance.notices]
    assert page.points == [remarks, *([notices] if notices else [])]
    block = page.sections["provenance"][""]
    assert block.tables["inputs"].column("run") == list(case.runs.systems)


def test_what_is_not_known_is_not_said_to_hold() -> None:
    """By a measure whose differences have no range, no order holds, and the page says why."""
    made = pw.simulate(systems=4, topics=6, depth=30, rng=1)
    page = read_page(page_of(Case(made.judgments, made.runs, ("Bpref",))))
    columns = page.sections["differences"]["Bpref"].charts["pairs"].columns
    assert "holds" not in columns["state"]
    assert set(columns["lowest"]) == {None}
    for section in ("leaderboard", "judgments", "differences"):
        text = " ".join(page.sections[section]["Bpref"].paragraphs)
        assert "not known, since Bpref has none: it passes over unjudged documents" in text


def test_the_checklist_is_that_of_the_command(case: Case, page: Page, facts: list[Facts]) -> None:
    """Each measure's block has the sentences of the checklist, tests included, but for markup."""
    for fact in facts:
        evidence = pw.align(judgments=case.judgments, runs=case.runs, topics=case.topics)
        checklist = pw.findings.checklist(evidence, pw.score(evidence, fact.measure))
        block = page.sections["to-report"][str(fact.measure)]
        said = " ".join(block.paragraphs)
        assert all(sentence in said for sentence in checklist.sentences())
        assert len(block.tables[f"checklist-{fact.measure}"].rows) == len(case.runs.systems)


def test_one_run_has_a_page() -> None:
    """One run on one topic has no differences, no similarity and no power."""
    runs = pw.Runs.from_rankings({"a": {"1": ["x", "y"]}})
    page = read_page(page_of(Case(pw.Judgments.from_dict({"1": {"x": 1, "y": 0}}), runs, ("P@2",))))
    assert list(page.sections) == [
        *("leaderboard", "judgments", "documents", "to-report", "provenance"),
    ]
    assert page.sections["leaderboard"]["P@2"].paragraphs == [
        "a has a mean P@2 of 0.5000, over 1 topic."
    ]


def test_the_commands_print_the_numbers_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What evaluate, compare, estimate and similarity print for files is on the page of report."""
    monkeypatch.chdir(tmp_path)
    made = pw.simulate(systems=5, topics=8, depth=30, rng=11)
    pw.write_judgments(made.judgments, "qrels")
    Path("runs").mkdir()
    for system in made.runs.systems:
        pw.write_run(made.runs, system, Path("runs", system))
    inputs = ("qrels", "runs", "-m", "nDCG@10")
    printed("report", *inputs, "-o", "page.html")
    page = read_page(Path("page.html").read_text("utf-8"))
    board = page.sections["leaderboard"]["nDCG@10"].tables["leaderboard-nDCG@10"]
    scores = {row["run"]: row for row in rows_of("evaluate", *inputs)}
    for _, run, _, mean, _, topics, judging, *_ in board.rows:
        row = scores[run]
        assert mean == decimals(row["value"])
        assert topics == ends(row["ci_low"], row["ci_high"])
        assert judging == ends(row["lower"], row["upper"])
    pairs = page.sections["differences"]["nDCG@10"].charts["pairs"].columns
    compared = rows_of("compare", *inputs)
    by_pair = {frozenset((row["a"], row["b"])): row for row in compared}
    for i, names in enumerate(zip(pairs["better"], pairs["worse"], strict=True)):
        row = by_pair[frozenset(names)]
        sign = 1 if row["a"] == names[0] else -1
        low, high = sorted((sign * row["bound_low"], sign * row["bound_high"]))
        said = [pairs[name][i] for name in ("difference", "lowest", "highest", "p", "p_corrected")]
        assert said == shortened((sign * row["difference"], low, high, row["p"], row["p_adjusted"]))
        assert pairs["state"][i] == row["state"]
    table = page.sections["estimates"]["nDCG@10"].tables["estimates-nDCG@10"]
    treated = rows_of("estimate", *inputs, "--treatment", "all")
    means = {(row["run"], row["treatment"]): row["value"] for row in treated}
    for name in ("nonrelevant", "condensed", "bias-systems"):
        shown = dict(zip(table.column("run"), table.column(name), strict=True))
        assert shown == {run: decimals(means[run, name]) for run in shown}
    cells = page.sections["similarity"][""].charts["overlap"].columns
    overlaps = {(row["run"], row["other"]): row["rbo"] for row in rows_of("similarity", "runs")}
    for a, b, overlap in zip(*cells.values(), strict=True):
        assert a == b or overlap == short(overlaps.get((a, b), overlaps.get((b, a))))


def printed(*words: str) -> str:
    """Return what a command prints."""
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def rows_of(*words: str) -> list[dict[str, Any]]:
    """Return the rows that a command prints as JSON."""
    return json.loads(printed(*words, "--format", "json"))["rows"]


def test_trec8_pairs_whose_ranges_lie_apart_are_certain(data_dir: Path) -> None:
    """Of the first 40 runs of TREC-8, no pair is open whose ranges by AP@100 lie apart."""
    folder = data_dir / "trec8"
    paths = sorted((folder / "runs").iterdir())[:40]
    judgments, runs = pw.read_judgments(folder / "qrels.gz"), pw.read_runs(*paths)
    case = Case(judgments, runs, ("AP@100",))
    page = read_page(page_of(case))
    facts = [Facts(case, "AP@100", pw.align(judgments=judgments, runs=runs))]
    test_every_pair_has_its_numbers_and_its_verdict(page, facts)
    test_the_pairs_that_could_turn_are_listed(page, facts)
    test_cautions_name_the_runs_that_judging_could_move(page, facts)
    test_verdicts_are_counted(page, facts)
    test_the_coverage_table_has_what_is_judged_and_what_that_leaves(case, page, facts)
    low, high = facts[0].table.mean_bounds()
    comparisons = facts[0].comparisons
    assert comparisons is not None
    left, right = comparisons.pairs.left, comparisons.pairs.right
    apart = (low[left] > high[right]) | (low[right] > high[left])
    assert apart.any()
    assert not (apart & (comparisons.verdict == "open")).any()
