"""Whether a witness does what is said of it: scored by poolwise, and by trec_eval's own code.

The judgments of thin pools of real collections are the judgments. For runs and pairs that are drawn
at random, the judgments at an end of the range are written, and scored by pytrec_eval, which is
trec_eval 9.0.8: topic by topic, since trec_eval counts topics without relevant documents in its
means.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poolwise as pw
from poolwise.arrays import Floats
from poolwise.collection._pools import nominate
from poolwise.findings._witness import Witness
from validate.table import Folders, ValidationTable

__all__ = ["Thin", "check", "thin_pools", "witnesses", "witnesses_table"]

COLLECTIONS = ("trec8", "trec-dl-2019", "trec-dl-2021")
POOLS = ((2, 5), (5, 10))
"""Runs that form the pool, and its depth."""
NEEDED = 10
"""Runs of the command, whose documents are the universe; the first ones form the pools."""
MEASURES = (
    *("nDCG@10", "nDCG", "AP@100", "AP(rel=2)@20", "P@10", "R@100", "RR@10", "Success@5"),
    *("Rprec", "nP@10", "SetF", "SetP"),
)
EACH = 8
"""Scores, and pairs, of each pool and measure."""
_LONGEST = 200
"""Ranks of each list: pairs of longer ones take minutes for R-Prec."""


@dataclass(frozen=True)
class Thin:
    """Runs, and judgments of a thin pool of some of them."""

    name: str
    judgments: pw.Judgments
    runs: pw.Runs

    @property
    def measures(self) -> list[str]:
        """Those that some grade of the judgments counts for."""
        scale = pw.align(self.judgments, self.runs).scale
        return [name for name in MEASURES if pw.parse_measure(name).can_rise(scale)]


def thin_pools(folders: Folders, collections: Sequence[str] = COLLECTIONS) -> Iterator[Thin]:
    """Read the collections, and keep what a thin pool would have judged."""
    for name in collections:
        folder = folders.data / name
        judgments = pw.read_judgments(folder / "qrels.gz")
        runs = _first_ranks(sorted((folder / "runs").glob("*.gz")))
        nominations = nominate(judgments, runs)
        for pooled, depth in POOLS:
            rows = nominations.best_ranks(runs.systems[:pooled]) <= depth
            yield Thin(f"{name}, {pooled} runs to {depth}", judgments.keep(rows), runs)


def _first_ranks(paths: list[Path]) -> pw.Runs:
    """Read runs spread over a collection, cut to their first ranks, with distinct scores."""
    few = paths[:: max(1, len(paths) // NEEDED)][:NEEDED]
    runs = pw.read_runs(*few, duplicates="first")
    return pw.Runs.from_rankings(
        {
            system: {topic: list(runs.ranking(system, topic)[:_LONGEST]) for topic in runs.topics}
            for system in runs.systems
        }
    )


def witnesses(thin: Thin, rng: np.random.Generator, each: int = EACH) -> Iterator[Witness]:
    """Find witnesses of scores, at both ends, and of pairs, whose order is to be turned round."""
    for measure in thin.measures:
        for _ in range(each):
            run = str(rng.choice(thin.runs.systems))
            end = str(rng.choice(["low", "high"]))
            yield pw.witness(thin.judgments, thin.runs, measure, run=run, end=end)
            two = rng.choice(thin.runs.systems, 2, replace=False).tolist()
            yield pw.witness(thin.judgments, thin.runs, measure, pair=two)


def check(witness: Witness, thin: Thin) -> Counter[str]:
    """Count what another tool says of a witness: whether it gives what was said."""
    said = _by_trec_eval(witness, thin)
    differs = np.abs(said - np.nan_to_num(witness.scores)).max(initial=0.0)
    counts = Counter({"witnesses": 1, "scores": said.size})
    counts["other than now"] = int(abs(witness.mean - witness.now) > 1e-9)
    counts["differ"] = int(differs > 1e-9)
    counts["not reached"] = int(witness.scope.kind == "exact" and not witness.is_reached)
    if witness.is_reached:
        counts["reached"] = 1
    if len(witness.runs) == 2:
        # Over the topics that count, those with a relevant document.
        means = (said[0] - said[1])[~np.isnan(witness.values)]
        turned = bool(len(means) and means.mean() * witness.now < 0)
        counts["pairs"], counts["reversed"] = 1, int(witness.is_reversed)
        counts["not as said"] = int(witness.is_reversed and not turned)
    return counts


def _by_trec_eval(witness: Witness, thin: Thin) -> Floats:
    """Return the scores of trec_eval, runs × topics; 0 where it has none."""
    import pytrec_eval  # noqa: PLC0415 -- an oracle of the tests alone

    level, depth, name = _options(witness.flags)
    qrels = {
        topic: {document: int(grade) for document, grade in documents.items()}
        for topic, documents in witness.judgments.to_dict().items()
    }
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=level)
    return np.array([_of_run(evaluator, thin, run, witness.topics, depth) for run in witness.runs])


def _of_run(
    evaluator: object, thin: Thin, run: str, topics: tuple[str, ...], depth: int
) -> list[float]:
    answered = {topic: list(thin.runs.ranking(run, topic)[:depth]) for topic in thin.runs.topics}
    # Scores by rank: pytrec_eval reads them in single precision.
    lists = {
        topic: {document: float(len(ranking) - i) for i, document in enumerate(ranking)}
        for topic, ranking in answered.items()
        if ranking
    }
    values = evaluator.evaluate(lists)  # type: ignore[attr-defined] -- it has no types
    return [next(iter(values[t].values())) if t in values else 0.0 for t in topics]


def _options(flags: str) -> tuple[int, int, str]:
    """Read ``-l 2 -M 10 -m recip_rank``: level, depth and measure."""
    words = flags.split()
    options = dict(zip(words[::2], words[1::2], strict=True))
    return int(options.get("-l", 1)), int(options.get("-M", _LONGEST)), options["-m"]


def witnesses_table(folders: Folders) -> ValidationTable:
    """Count what witnesses of real collections do by another tool's numbers."""
    rng = np.random.default_rng(30)
    rows, total = [], Counter[str]()
    for thin in thin_pools(folders):
        counts = sum((check(witness, thin) for witness in witnesses(thin, rng)), Counter[str]())
        rows.append((thin.name, *(f"{counts[name]:,}" for name in _COLUMNS)))
        total += counts
    rows.append(("all", *(f"{total[name]:,}" for name in _COLUMNS)))
    return ValidationTable(
        "Witnesses",
        f"Judgments at an end of a range, for runs and pairs of {NEEDED} runs ({_LONGEST} ranks) "
        f"under thin pools, by {', '.join(MEASURES)}. trec_eval 9.0.8 (pytrec_eval) gives on every "
        "topic what was said of it (column differ), and reverses every order that was said to be "
        "reversed (not as said); every end is reached. Other than now: the mean is moved.",
        ("pool", *_COLUMNS),
        tuple(rows),
        holds=total["witnesses"] >= 1000
        and not (total["differ"] or total["not reached"] or total["not as said"]),
    )


_COLUMNS = (
    *("witnesses", "scores", "differ", "other than now", "reached", "not reached"),
    *("pairs", "reversed", "not as said"),
)
