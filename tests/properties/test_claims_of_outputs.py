"""Whatever an output claims is true of every grading: asked of small collections, all of them.

The truth comes from a scorer in plain Python, never from the claim itself. ``make soak`` looks at
more of them.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.judging.test_settled_goals import GOALS, METHODS, judged_to_the_stop
from tests.oracles.plain_scorer import Collection, is_true
from tests.oracles.small_collections import (
    aligned,
    as_judgments,
    as_runs,
    measure_of,
    random_collection,
    reach,
)

import poolwise as pw
from poolwise.findings import Gate, PairVerdicts, score_claims, verdict
from poolwise.results._finding import Finding
from poolwise.words import claims_of, decompressed

NUMBER = int(os.environ.get("POOLWISE_CLAIMS", "150"))
"""How many collections are looked at."""
RENDERED = max(4, min(500, NUMBER // 40))
"""How many of them are drawn as a page."""

CLAIMING = re.compile(r"\b(whatever|certain|cannot|never|nothing more|could lead)\b", re.IGNORECASE)
"""Words of which none is said without a claim."""


def drawn(seed: int) -> tuple[Collection, str, list[dict[str, float]]]:
    """Return a collection, a measure, and the means under every grading."""
    rng = np.random.default_rng(seed)
    collection, measure = random_collection(rng), measure_of(rng)
    return collection, measure, [c.means(measure) for c in collection.completions(reach(measure))]


def refuted(claims: Iterable[dict[str, object]], means: list[dict[str, float]]) -> Iterator[object]:
    """Go through the claims that some grading makes false."""
    for claim in claims:
        for by_run in means:
            if not is_true(claim, by_run):
                yield claim, by_run
                break


def claims_made(collection: Collection, measure: str) -> Iterator[dict[str, object]]:
    """Go through what compare, the verdict, evaluate and the overview claim of a collection."""
    evidence = aligned(collection)
    for claim in score_claims(pw.score(evidence, measure)):
        yield claim.to_dict()
    for a, b in (("a", "b"), ("b", "a")):
        for claim in verdict(evidence, measure, a, b).difference.claims():
            yield claim.to_dict()
    compared = pw.compare_evidence(evidence, measure, draws=0)
    yield from (c.to_dict() for pair in compared.verdicts() for c in pair.claims)
    yield from (c.to_dict() for c in compared.claimed())
    yield from (c.to_dict() for c in PairVerdicts.of(compared).claims())


@pytest.mark.parametrize("part", range(3))
def test_no_grading_refutes_a_claim(part: int) -> None:
    """Of every small collection every claim of compare, verdict and evaluate is true."""
    for seed in range(part, NUMBER, 3):
        collection, measure, means = drawn(seed)
        assert not list(refuted(claims_made(collection, measure), means)), (
            seed,
            measure,
            collection,
        )


@pytest.mark.parametrize("part", range(2))
def test_no_grading_refutes_what_next_says(part: int) -> None:
    """Listed for any goal by any order and judged to the stop, what next claims is true."""
    for seed in range(part, NUMBER, 2):
        rng = np.random.default_rng(200_000 + seed)
        collection, measure = random_collection(rng), measure_of(rng)
        goal, method = (options[rng.integers(len(options))] for options in (GOALS, METHODS))
        for judged, listed in judged_to_the_stop(collection, goal, measure, method, seed):
            claims = [claim.to_dict() for claim in listed.claims()]
            completed = judged.completions(reach(measure)) if claims else ()
            means = [completion.means(measure) for completion in completed]
            assert not list(refuted(claims, means)), (seed, goal, measure, method, judged)
            texts = [(said, claims_of([said])) for said in listed.sentences()]
            assert not says_without_claim(texts), (seed, goal, measure, method, judged)


def pvalue(deltas: np.ndarray) -> float:
    """Return the two-sided p value of the paired t test; 0 where nothing varies but the mean."""
    from scipy import stats

    if np.ptp(deltas) < 1e-12:
        return 0.0 if abs(deltas[0]) > 1e-12 else 1.0
    return float(stats.ttest_1samp(deltas, 0).pvalue)


def test_what_holds_keeps_its_order_and_its_significance() -> None:
    """Under every grading a pair that holds has the same run ahead, and p below alpha."""
    met = 0
    for seed in range(max(30, NUMBER // 4)):
        rng = np.random.default_rng(10_000 + seed)
        topics = [str(t) for t in range(7)]
        best = {t: ["x", "y"] if rng.random() < 0.7 else ["x", "n"] for t in topics}
        other = {t: ["n", "u"] if rng.random() < 0.2 else ["n", "y"] for t in topics}
        grades = {"x": 1.0, "y": float(rng.random() < 0.5), "n": 0.0}
        qrels = {t: grades | {"y": float(rng.random() < 0.6)} for t in topics}
        collection = Collection({"a": best, "b": other}, qrels, (0.0, 1.0))
        if len(collection.unjudged(2)) > 8:
            continue
        compared = pw.compare_evidence(aligned(collection), "P@2", draws=0)
        if compared.state.tolist() != ["holds"]:
            continue
        met += 1
        sign = np.sign(compared.difference[0])
        for completion in collection.completions(2):
            by_topic = [completion.means("P@2", topics=[t]) for t in topics]
            deltas = np.array([means["a"] - means["b"] for means in by_topic])
            assert np.sign(deltas.mean()) == sign
            assert pvalue(deltas) < 0.05
    assert met > 3


def test_a_strict_gate_passes_under_every_grading() -> None:
    """What a strict gate lets pass is significant under every grading of what is unjudged."""
    from scipy import stats

    passed, topics, margin = 0, [str(t) for t in range(6)], 0.3
    for seed in range(max(20, NUMBER // 10)):
        rng = np.random.default_rng(30_000 + seed)
        new = {t: ["x", "y"] if rng.random() < 0.7 else ["x", "u"] for t in topics}
        old = {t: ["x", "n"] if rng.random() < 0.6 else ["n", "v"] for t in topics}
        qrels = {t: {"x": 1.0, "y": float(rng.random() < 0.6), "n": 0.0} for t in topics}
        collection = Collection({"old": old, "new": new}, qrels, (0.0, 1.0))
        candidate, baseline = (
            pw.Runs.from_rankings({name: collection.runs[name]}) for name in ("new", "old")
        )
        gate = pw.gate(
            as_judgments(collection),
            candidate,
            ["P@2"],
            baseline=baseline,
            margin=margin,
            strict=True,
        )
        if gate.verdict != "pass" or len(collection.unjudged(2)) > 7:
            continue
        passed += 1
        for completion in collection.completions(2):
            means = [completion.means("P@2", topics=[t]) for t in topics]
            deltas = np.array([by_run["new"] - by_run["old"] for by_run in means]) + margin
            assert np.ptp(deltas) < 1e-12 or (
                stats.ttest_1samp(deltas, 0, alternative="greater").pvalue < 0.05
            )
    assert passed > 3


class Page(HTMLParser):
    """What a page says: each text with the claims of the element that it stands in."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.told: list[tuple[str, list[dict[str, object]]]] = []
        self._open: list[tuple[str, list[dict[str, object]]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Remember the claims of an element as long as it is open."""
        values = dict(attributes)
        long = values.get("data-zlib-claim")
        claims = decompressed(long) if long else values.get("data-claim")
        if tag not in {"br", "input", "meta", "link", "path", "rect"}:
            self._open.append((tag, list(each_object(json.loads(claims or "[]")))))

    def handle_endtag(self, tag: str) -> None:
        """Forget an element and what it held."""
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Keep a text that is read, with what the elements around it claim."""
        if data.strip() and not {"script", "style"} & {tag for tag, _ in self._open}:
            self.told.append((data, [claim for _, claims in self._open for claim in claims]))

    def claims(self) -> list[dict[str, object]]:
        """Return all that is claimed."""
        return [claim for _, claims in self.told for claim in claims]


def each_object(claims: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Go through claims, one for each object of those that have several."""
    for claim in claims:
        objects = claim.get("object")
        several = objects if isinstance(objects, list) else [objects]
        yield from (claim | {"object": single} if objects else claim for single in several)


LEGENDS = ("order certain, significance open", "could lead")
"""Words that name a state or a column, and say it of nobody."""


def says_without_claim(texts: Iterable[tuple[str, list[dict[str, object]]]]) -> list[str]:
    """Return the texts that say a word of claims and have none."""
    return [
        text
        for text, claims in texts
        if CLAIMING.search(text) and not claims and text.strip() not in LEGENDS
    ]


def test_every_page_claims_what_is_true_and_says_no_more() -> None:
    """Cells and sentences of the report carry their claims, which every grading keeps."""
    pytest.importorskip("vl_convert")
    for seed in range(RENDERED):
        collection, measure, means = drawn(50_000 + seed)
        overview = pw.report(as_judgments(collection), as_runs(collection), [measure])
        page = Page(pw.html_page(overview))
        assert not list(refuted(page.claims(), means)), (seed, measure, collection)
        assert not says_without_claim(page.told), seed


def sentences_of(collection: Collection, measure: str) -> Iterator[str]:
    """Go through the sentences of the findings on a collection."""
    evidence = aligned(collection)
    yield from verdict(evidence, measure, "a", "b").sentences()
    yield from pw.score(evidence, measure).sentences()
    compared = pw.compare_evidence(evidence, measure, draws=0)
    yield from compared.sentences()
    yield from (said for pair in compared for said in pair.sentences())
    yield from pw.table(as_judgments(collection), as_runs(collection), measure, draws=0).sentences()


def other_outputs(collection: Collection, measure: str) -> Iterator[Finding]:
    """Go through what gate, estimate, evaluate and the report find of a collection."""
    judgments, runs = as_judgments(collection), as_runs(collection)
    candidate, baseline = (pw.Runs.from_rankings({name: collection.runs[name]}) for name in "ab")
    # A missing topic, or a run without a judged document, is wrong input there.
    with suppress(pw.InputError):
        yield pw.gate(judgments, candidate, [measure], baseline=baseline, margin=0.1)
    yield pw.estimate(judgments, runs, [measure], treatments=["nonrelevant", "exact"])
    yield pw.evaluate(judgments, runs, [measure])
    yield pw.report(judgments, runs, [measure])


def test_gate_estimate_evaluate_and_report_claim_what_is_true() -> None:
    """Their sentences and their cells in a notebook carry claims, which every grading keeps."""
    gated = 0
    for seed in range(max(12, NUMBER // 40)):
        collection, measure, means = drawn(130_000 + seed)
        for output in other_outputs(collection, measure):
            page = Page(output._repr_html_())
            texts = [
                (said, [c.to_dict() for c in claims_of([said])]) for said in output.sentences()
            ]
            assert not says_without_claim([*texts, *page.told]), (seed, output)
            if isinstance(output, Gate):
                # Over the documents of two runs: those of a third one are judged as they are.
                gated += 1
                two = replace(collection, runs={name: collection.runs[name] for name in "ab"})
                by_two = [c.means(measure) for c in two.completions(reach(measure))]
                claims = [claim.to_dict() for claim in output.claims()]
                assert not list(refuted(claims, by_two)), (seed, measure, collection)
                continue
            claims = [*page.claims(), *(c for _, some in texts for c in some)]
            assert not list(refuted(claims, means)), (seed, measure, collection)
    assert gated > 1


def test_no_sentence_claims_without_a_claim() -> None:
    """Whatever, certain, cannot, never: each comes from something that can be asked."""
    for seed in range(0, NUMBER, 2):
        collection, measure, means = drawn(90_000 + seed)
        texts = [
            (said, [claim.to_dict() for claim in claims_of([said])])
            for said in sentences_of(collection, measure)
        ]
        assert not says_without_claim(texts), seed
        assert not list(refuted((c for _, claims in texts for c in claims), means)), seed


def test_no_view_claims_more_than_the_verdict() -> None:
    """Of each pair the page and the table have the state of compare, and its claims."""
    made = pw.simulate(systems=6, topics=12, depth=20, rng=3)
    overview = pw.report(made.judgments, made.runs, ["nDCG@10"])["nDCG@10"]
    compared = pw.compare(made.judgments, made.runs, ["nDCG@10"], draws=0)["nDCG@10"]
    states = {frozenset((p.a, p.b)): p for p in compared.verdicts()}
    columns = overview.verdicts.columns()
    for better, worse, state in zip(
        columns["better"], columns["worse"], columns["state"], strict=True
    ):
        assert states[frozenset((better, worse))].state == state
    allowed = {claim for pair in states.values() for claim in pair.claims}
    assert set(overview.verdicts.claims()) <= allowed
    table = pw.table(made.judgments, made.runs, ["nDCG@10"], draws=0)
    rows = table.columns()
    for run, beaten in zip(rows["run"], rows["better_than"], strict=True):
        for other in filter(None, beaten.split(", ")):
            assert states[frozenset((run, other))].starred
