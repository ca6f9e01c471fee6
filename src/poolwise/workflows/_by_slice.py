"""Scores and differences by slices of the topics, from files or from memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.collection.formats._texts import TextSource
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe
from poolwise.findings._by_slice import DifferencesBySlice, ScoresBySlice, idle_slices, slices_of
from poolwise.findings.comparison._compare import compare_evidence
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded_by_itself
from poolwise.scores._scoring import ByMeasure, score_all
from poolwise.workflows._further_inputs import as_slices
from poolwise.workflows._inputs import (
    DEFAULT_MEASURES,
    Topics,
    as_collection,
    as_evidence,
    as_topics,
    several_measures,
)

__all__ = ["compare_by_slice", "evaluate_by_slice"]

By = Mapping[str, str] | str | Path


@recorded_by_itself
def evaluate_by_slice(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    by: By,
    queries: TextSource | None = None,
    topics: Topics = "judged",
    bounds: str = "exact",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> ByMeasure[ScoresBySlice]:
    """Score runs on slices of the topics, such as languages, and over slices that weigh the same.

    Parameters
    ----------
    by
        Which slice each topic is of: a dict, the name of a column of ``queries``, or a file with a
        topic and its slice in each line.
    queries
        The file of topics that has the column: JSONL, CSV, or lines with tabs below a heading.
    bounds
        Whether ranges over judgments are found: ``exact``, ``naive`` or ``none``.

    Returns
    -------
    ByMeasure of ScoresBySlice
        For each measure the mean of each run on each slice, with intervals that hold for all
        slices together, and the macro mean with its own.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=2, topics=30, depth=20, rng=1)
    >>> halves = {t: "odd" if int(t) % 2 else "even" for t in made.judgments.topics}
    >>> scores = evaluate_by_slice(made.judgments, made.runs, "P@10", by=halves)["P@10"]
    >>> [round(mean, 4) for mean in scores.columns()["mean"][::2]]
    [0.5933, 0.5867, 0.59, 0.59]
    """
    of_topics = as_slices(by, queries)
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    slices = slices_of(of_topics, evidence.topics)
    unknown = Universe.of(universe, universe_depth)
    scored = score_all(evidence, several_measures(measures), bounds=bounds, universe=unknown)
    return ByMeasure.of(
        ScoresBySlice(
            table,
            _named(by),
            slices,
            idle=idle_slices(of_topics, evidence.topics),
            provenance=table.provenance.with_options(by=_named(by)),
        )
        for table in scored.scores
    )


@recorded_by_itself
def compare_by_slice(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    by: By,
    queries: TextSource | None = None,
    baseline: str | Sequence[str] = (),
    topics: Topics = "judged",
    test: str = "t",
    correction: str = "holm",
    alternative: str = "two-sided",
    alpha: float = 0.05,
    resamples: int = 10_000,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int = 1,
    reading: Reading = Reading(),
) -> ByMeasure[DifferencesBySlice]:
    """Compare runs on slices of the topics, such as languages, corrected for all slices and pairs.

    Parameters
    ----------
    by, queries
        As for :func:`evaluate_by_slice`.

    Returns
    -------
    ByMeasure of DifferencesBySlice
        For each measure the difference of each pair on each slice, its corrected p value and its
        range over judgments, and the macro mean of the differences.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=2, topics=30, depth=20, rng=1)
    >>> halves = {t: "odd" if int(t) % 2 else "even" for t in made.judgments.topics}
    >>> differences = compare_by_slice(made.judgments, made.runs, "P@10", by=halves)["P@10"]
    >>> len(differences.columns()["p_adjusted"])
    3
    """
    of_topics = as_slices(by, queries)
    qrels, retrieved = as_collection(judgments, runs, grades=grades, reading=reading)
    evidence = align(qrels, retrieved, topics=as_topics(topics))
    scored = evidence.topics
    slices = slices_of(of_topics, scored)
    parts = {name: align(qrels, retrieved, topics=listed) for name, listed in slices.items()}
    how: dict[str, Any] = {"baseline": baseline, "test": test, "alternative": alternative}
    how |= {"alpha": alpha, "resamples": resamples, "rng": rng}
    how |= {"universe": Universe.of(universe, universe_depth), "draws": 0, "correction": "none"}
    of_measures = []
    for measure in several_measures(measures):
        pairs = {name: compare_evidence(part, measure, **how) for name, part in parts.items()}
        # The options are those of any slice; topics, and what is odd of them, those of all.
        origin, whole = next(iter(pairs.values())).provenance, evidence.provenance
        origin = replace(origin, topic_rule=whole.topic_rule, notices=whole.notices)
        of_measures.append(
            DifferencesBySlice(
                _named(by),
                pairs,
                correction,
                alpha,
                left_out=len(scored) - sum(map(len, slices.values())),
                idle=idle_slices(of_topics, scored),
                provenance=origin.with_options(correction=correction, by=_named(by)),
            )
        )
    return ByMeasure.of(of_measures)


def _named(by: By) -> str:
    """Return what slices are by, in a word."""
    return "slice" if isinstance(by, Mapping) else Path(by).stem
