"""Whether what is claimed whatever the unjudged documents are is so: official judgments answer.

The judgments of a thin pool are the judgments. Then each unjudged document of the runs gets its
official grade, and 0 where nobody judged it: one grading of all that claims are about. Scores by it
are those of pytrec_eval.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval
from tests.oracles.plain_scorer import is_true

import poolwise as pw
from poolwise.collection._pools import nominate
from poolwise.findings import all_differences
from poolwise.words import decompressed
from validate.table import Folders, ValidationTable

__all__ = ["claims_table"]

COLLECTIONS = ("trec8", "trec-dl-2019", "trec-dl-2021")
LENGTH = 30
"""Ranks of each list."""
MEASURES = {
    "P@10": "P_10",
    "nDCG@10": "ndcg_cut_10",
    "AP@20": "map_cut_20",
    "RR": "recip_rank",
}
"""Measures, and what trec_eval calls them."""
NEEDS_RELEVANT = ("nDCG@10", "AP@20")
"""Those that leave out topics without a relevant document."""
POOLS = ((2, 5), (4, 10))
"""Runs that form the pool, and its depth."""
GOALS = ("pair:{0},{1}", "pair:{1},{0}", "run:{0}", "top:2", "leaders")
METHODS = (None, "depth", "thompson")
SETS, RUNS, TOPICS = 20, 6, 12
"""Sets of runs and topics that are drawn from each collection, and their sizes."""
BATCH, TIE, SEED = 60, 1e-9, 1


@dataclass(frozen=True)
class Drawn:
    """Some runs on some topics, and the official grades of their documents."""

    runs: pw.Runs
    official: dict[str, dict[str, float]]
    grades: tuple[float, ...]

    @classmethod
    def many(cls, folder: Path, rng: np.random.Generator) -> "Iterator[Drawn]":
        """Draw sets of runs and topics from a collection."""
        judgments = pw.read_judgments(folder / "qrels.gz")
        runs = pw.read_runs(*sorted((folder / "runs").iterdir()), duplicates="first")
        graded, grades = judgments.to_dict(), (0.0, *sorted({g for *_, g in judgments if g > 0}))
        for _ in range(SETS):
            topics = rng.choice(sorted(graded), TOPICS, replace=False).tolist()
            names = rng.choice(runs.systems, RUNS, replace=False).tolist()
            lists = _first_ranks(runs.select(names, topics=topics))
            yield cls(lists, {topic: graded[topic] for topic in topics}, grades)

    def grade(self, topic: str, document: str) -> float:
        """Return the official grade; 0 where nobody judged the document."""
        return max(self.official[topic].get(document, 0.0), 0.0)

    def thin(self, pooled: int, depth: int) -> pw.Judgments:
        """Return the official judgments of a thin pool, on the scale of all of them."""
        whole = pw.Judgments.from_dict(self.official)
        pool = nominate(whole, self.runs).depth_pool(depth, systems=self.runs.systems[:pooled])
        return pool.with_topics(tuple(self.official)).with_grades(self.grades)

    def completed(self, judgments: pw.Judgments, depth: int | None) -> dict[str, dict[str, int]]:
        """Return the judgments, with a grade for every document in the first ranks of a run."""
        graded = judgments.to_dict()
        qrels = {t: {d: int(g) for d, g in graded.get(t, {}).items()} for t in self.official}
        for name in self.runs.systems:
            for topic in self.runs.topics:
                for document in self.runs.ranking(name, topic)[:depth]:
                    qrels[topic].setdefault(document, int(self.grade(topic, document)))
        return qrels


def _first_ranks(runs: pw.Runs) -> pw.Runs:
    """Cut lists, and score by rank, so that every tool has the same order."""
    lists = {
        name: {topic: runs.ranking(name, topic)[:LENGTH] for topic in runs.topics}
        for name in runs.systems
    }
    return pw.Runs.from_rankings(lists)


def claims_table(folders: Folders) -> ValidationTable:
    """Count the claims that the official judgments refute."""
    rng, counts = np.random.default_rng(SEED), dict[tuple[str, str, str], list[int]]()
    for name in COLLECTIONS:
        for drawn in Drawn.many(folders.data / name, rng):
            for kind, measure, claims, judged in _claimed(drawn, rng):
                means = _means(drawn, judged, measure)
                row = counts.setdefault((name, kind, measure), [0, 0])
                row[0] += sum(not is_true(claim, means) for claim in claims)
                row[1] += len(claims)
    rows = tuple((*key, f"{false:,}", f"{made:,}") for key, (false, made) in counts.items())
    pools = " and ".join(f"{size} runs to depth {depth}" for size, depth in POOLS)
    return ValidationTable(
        "Claims about orders",
        f"Sets of {RUNS} runs on {TOPICS} topics, {SETS} of each collection, cut to {LENGTH} "
        f"ranks, under the judgments of thin pools of {pools}: what `compare` claims of pairs "
        "whatever the unjudged documents are, what cells and sentences of the page of `report` "
        "claim, and what `next` claims when it stops, judged to its stop for the goals "
        f"{', '.join(GOALS)} by three orders. The documents of the runs then get their official "
        "grades, 0 where they have none, and pytrec_eval scores the runs. No claim is false.",
        ("collection", "said by", "measure", "false", "claims"),
        rows,
        holds=_holds(counts),
    )


def _holds(counts: Mapping[tuple[str, str, str], Sequence[int]]) -> bool:
    """Tell whether no claim is false, and each that speaks claims something of a collection."""
    # One that claims nothing by any measure was not heard: nothing of it was checked.
    heard = {(name, kind) for (name, kind, _), (_, made) in counts.items() if made}
    silent = {(name, kind) for name, kind, _ in counts} - heard
    return not silent and not any(false for false, _ in counts.values())


Claims = Sequence[Mapping[str, Any]]
"""Claims as plain values, as files and pages have them."""


def _claimed(
    drawn: Drawn, rng: np.random.Generator
) -> Iterator[tuple[str, str, Claims, pw.Judgments]]:
    """Yield who claims what, by which measure, and the judgments that it was made from."""
    for pool in POOLS:
        thin = drawn.thin(*pool)
        evidence = pw.align(thin, drawn.runs)
        for measure in MEASURES:
            differences = all_differences(evidence, measure)
            claims = [c.to_dict() for i in range(len(differences)) for c in differences.claims(i)]
            yield "compare", measure, claims, thin
            for form in GOALS:
                goal = form.format(*rng.choice(drawn.runs.systems, 2, replace=False).tolist())
                method = METHODS[rng.integers(len(METHODS))]
                yield "next", measure, *judged_to_the_stop(drawn, thin, goal, measure, method)
        on_page = claims_of_page(pw.html_page(pw.report(thin, drawn.runs, list(MEASURES))))
        for measure in MEASURES:
            yield "page", measure, [c for c in on_page if c["measure"] == measure], thin


def claims_of_page(page: str) -> Claims:
    """Return all that a page claims: what its elements carry (see ``claim_attribute``)."""
    plain = map(unescape, re.findall(r"data-claim='([^']*)'", page))
    long = map(decompressed, re.findall(r'data-zlib-claim="([^"]*)"', page))
    return [
        single for some in (*plain, *long) for claim in json.loads(some) for single in _each(claim)
    ]


def _each(claim: Mapping[str, Any]) -> Claims:
    """Return a claim about several objects as one about each."""
    about = claim.get("object")
    return [{**claim, "object": name} for name in about] if isinstance(about, list) else [claim]


def judged_to_the_stop(
    drawn: Drawn, thin: pw.Judgments, goal: str, measure: str, method: str | None
) -> tuple[Claims, pw.Judgments]:
    """Give official grades to what is listed until nothing is, and return what is claimed then."""
    graded = {topic: dict(grades) for topic, grades in thin.to_dict().items()}
    while True:
        judged = pw.Judgments.from_dict(graded).with_topics(tuple(drawn.official))
        judged = judged.with_grades(drawn.grades)
        listed = pw.next(judged, drawn.runs, goal, measure=measure, method=method, batch=BATCH)
        if not len(listed):
            return [claim.to_dict() for claim in listed.claims()], judged
        for topic, document in zip(listed.topic, listed.document, strict=True):
            graded.setdefault(topic, {})[document] = drawn.grade(topic, document)


def _means(drawn: Drawn, judged: pw.Judgments, measure: str) -> dict[str, float]:
    """Return the means of all runs by pytrec_eval, over the topics that count."""
    qrels = drawn.completed(judged, pw.parse_measure(measure).depth)
    scored = pytrec_eval.RelevanceEvaluator(qrels, {MEASURES[measure].replace("_cut_", "_cut.")})
    topics = [t for t in qrels if measure not in NEEDS_RELEVANT or any(qrels[t].values())]
    means = {}
    for name, lists in drawn.runs.to_dict().items():
        by_topic = scored.evaluate(lists)
        scores = [by_topic.get(topic, {}).get(MEASURES[measure], 0.0) for topic in topics]
        means[name] = float(np.mean(scores)) if topics else float("nan")
    return means
