"""Scores and orders by the textbook, in plain Python: what claims are held against."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan, log2, nan
from typing import Any

__all__ = ["MEASURES", "Collection", "Completion", "is_true"]

Ranking = Sequence[str]
Qrels = Mapping[str, Mapping[str, float]]

TIE = 1e-9
"""Means of small fractions that are not equal differ by far more than this."""


def _relevant(grades: Mapping[str, float]) -> int:
    return sum(grade >= 1 for grade in grades.values())


def _precision(k: int) -> Callable[[Ranking, Mapping[str, float], float], float]:
    def score(ranking: Ranking, grades: Mapping[str, float], _: float) -> float:
        return sum(grades.get(d, 0) >= 1 for d in ranking[:k]) / k

    return score


def _recall(k: int) -> Callable[[Ranking, Mapping[str, float], float], float]:
    def score(ranking: Ranking, grades: Mapping[str, float], _: float) -> float:
        total = _relevant(grades)
        return sum(grades.get(d, 0) >= 1 for d in ranking[:k]) / total if total else nan

    return score


def _average_precision(
    k: int | None,
) -> Callable[[Ranking, Mapping[str, float], float], float]:
    def score(ranking: Ranking, grades: Mapping[str, float], _: float) -> float:
        total, hits, summed = _relevant(grades), 0, 0.0
        for rank, document in enumerate(ranking[:k], 1):
            if grades.get(document, 0) >= 1:
                hits += 1
                summed += hits / rank
        return summed / total if total else nan

    return score


def _reciprocal_rank(ranking: Ranking, grades: Mapping[str, float], _: float) -> float:
    ranks = [rank for rank, d in enumerate(ranking, 1) if grades.get(d, 0) >= 1]
    return 1 / ranks[0] if ranks else 0.0


def _ndcg(k: int) -> Callable[[Ranking, Mapping[str, float], float], float]:
    def score(ranking: Ranking, grades: Mapping[str, float], _: float) -> float:
        def gains(values: Iterable[float]) -> float:
            return sum(max(g, 0) / log2(rank + 1) for rank, g in enumerate(values, 1))

        ideal = gains(sorted(grades.values(), reverse=True)[:k])
        return gains([grades.get(d, 0) for d in ranking[:k]]) / ideal if ideal else nan

    return score


def _rank_biased(p: float) -> Callable[[Ranking, Mapping[str, float], float], float]:
    def score(ranking: Ranking, grades: Mapping[str, float], _: float) -> float:
        ranks = [rank for rank, d in enumerate(ranking) if grades.get(d, 0) >= 1]
        return (1 - p) * sum(p**rank for rank in ranks)

    return score


def _expected_reciprocal_rank(
    k: int,
) -> Callable[[Ranking, Mapping[str, float], float], float]:
    def score(ranking: Ranking, grades: Mapping[str, float], top: float) -> float:
        expected, left = 0.0, 1.0
        for rank, document in enumerate(ranking[:k], 1):
            stop = (2 ** max(grades.get(document, 0), 0) - 1) / 2**top
            expected += left * stop / rank
            left *= 1 - stop
        return expected

    return score


MEASURES: dict[str, Callable[[Ranking, Mapping[str, float], float], float]] = {
    "P@2": _precision(2),
    "P@5": _precision(5),
    "R@2": _recall(2),
    "AP@3": _average_precision(3),
    "AP": _average_precision(None),
    "RR": _reciprocal_rank,
    "nDCG@3": _ndcg(3),
    "RBP(p=0.5)": _rank_biased(0.5),
    "ERR@3": _expected_reciprocal_rank(3),
}
"""By the names that poolwise has for them."""


@dataclass(frozen=True)
class Collection:
    """Runs and judgments, with the scale that was declared."""

    runs: Mapping[str, Mapping[str, Ranking]]
    qrels: Qrels
    grades: tuple[float, ...]

    def unjudged(self, depth: int | None) -> list[tuple[str, str]]:
        """Return the documents without a grade in the first ranks of any run, by judged topic."""
        documents = {
            (topic, document): None
            for lists in self.runs.values()
            for topic, ranking in lists.items()
            if topic in self.qrels
            for document in ranking[:depth]
            if self.qrels[topic].get(document, -1) < 0
        }
        return list(documents)

    def completions(self, depth: int | None) -> Iterator["Completion"]:
        """Go through every grading of these documents."""
        free = self.unjudged(depth)
        for grading in product(self.grades, repeat=len(free)):
            qrels = {topic: dict(grades) for topic, grades in self.qrels.items()}
            for (topic, document), grade in zip(free, grading, strict=True):
                qrels[topic][document] = grade
            yield Completion(self, qrels)


@dataclass(frozen=True)
class Completion:
    """One grading of all documents that a range is over."""

    of: Collection
    qrels: Qrels

    def means(
        self, measure: str, systems: Sequence[str] = (), topics: Sequence[str] = ()
    ) -> dict[str, float]:
        """Return the mean of each run over the topics that have a score; NaN where none has."""
        score, top = MEASURES[measure], max(self.of.grades)
        runs = {name: self.of.runs[name] for name in systems or self.of.runs}
        by_topic = [
            {
                name: score(lists.get(topic, ()), self.qrels[topic], top)
                for name, lists in runs.items()
            }
            for topic in topics or self.qrels
        ]
        kept = [scores for scores in by_topic if not any(map(isnan, scores.values()))]
        if not kept:
            return dict.fromkeys(runs, nan)
        return {name: sum(scores[name] for scores in kept) / len(kept) for name in runs}


def is_true(claim: Mapping[str, Any], means: Mapping[str, float]) -> bool:
    """Tell whether a claim, as plain values, is true of these means."""
    if "parts" in claim:
        return all(is_true(part, means) for part in claim["parts"])
    subject, relation = claim["subject"], claim["relation"]
    if isnan(means[subject]):
        return relation != "ahead"
    lead = means[subject] - means.get(claim.get("object", subject), nan)
    above = sum(mean > means[subject] + TIE for mean in means.values())
    below = sum(mean < means[subject] - TIE for mean in means.values())
    best, worst = 1 + above, len(means) - below
    ends = claim.get("low", nan), claim.get("high", nan)
    truths = {
        "ahead": lead > TIE,
        "not behind": lead >= -TIE,
        "behind by at most": lead >= -ends[1] - TIE,
        "level": abs(lead) <= TIE,
        "among the first": best <= ends[1],
        "rank in": best <= ends[1] and worst >= ends[0],
        "score in": ends[0] - TIE <= means[subject] <= ends[1] + TIE,
        "cannot lead": worst > 1,
    }
    return truths[relation]
