"""Two runs side by side, from files or from memory: what the page on them shows."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from poolwise.collection._identifiers import indices_of
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.formats._texts import Texts, TextSource
from poolwise.errors import OptionError, require_depth
from poolwise.evidence._audit import audit_collection
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.evidence._ungraded import Universe
from poolwise.findings._documents_by_run import TopicDocuments, documents_of_topic
from poolwise.findings._judged_coverage import FIRST_RANKS, judged_coverage
from poolwise.findings._side_by_side import PairByMeasure, SideBySide
from poolwise.findings.comparison._compare import compare_evidence
from poolwise.findings.comparison._comparison import Comparison
from poolwise.findings.comparison._comparisons import Comparisons
from poolwise.judging._goals import Goal
from poolwise.judging._lists import JudgingList
from poolwise.judging._next import next_of_evidence
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Source
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score_all
from poolwise.words import named
from poolwise.workflows._inputs import (
    DEFAULT_MEASURES,
    Topics,
    as_collection,
    as_texts,
    as_topics,
    several_measures,
)

__all__ = ["side_by_side"]

_TOPICS = 100
"""Topics whose rankings are shown, those on which the runs differ most."""
_TO_JUDGE = 12
"""Documents that are proposed for judging."""


@recorded
def side_by_side(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    pair: Sequence[str] = (),
    compared: Iterable[Comparisons] = (),
    queries: TextSource | None = None,
    documents: TextSource | None = None,
    depth: int = FIRST_RANKS,
    budget: int = _TO_JUDGE,
    topics: Topics = "judged",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int = 1,
    reading: Reading = Reading(),
) -> SideBySide:
    """Put two runs side by side: who is better, on which topics, what they rank, what to judge.

    :func:`~poolwise.html_page` makes a page of it.

    Parameters
    ----------
    pair
        The two runs, where there are more.
    compared
        What :func:`~poolwise.compare` found of the same runs, with whatever test; by default the
        runs are compared as it does without options.
    depth
        Ranks of both runs that are shown.
    budget
        How many documents are proposed for judging.

    Returns
    -------
    SideBySide
        What was found, by measure and over all, in tables and sentences.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> page = side_by_side(made.judgments, made.runs, "P@10", pair=["ql-1", "bm25-1"])
    >>> page["P@10"].deltas.outcome
    '2 wins, 6 ties, 12 losses'
    """
    require_depth(depth)
    wanted = several_measures(measures)
    qrels, retrieved = as_collection(judgments, runs, grades=grades, reading=reading)
    unknown = Universe.of(universe, universe_depth)
    evidence = align(qrels, retrieved, topics=as_topics(topics))
    tested = [
        _the_pair(comparisons, pair)
        for comparisons in tuple(compared)
        or (compare_evidence(evidence, m, universe=unknown, rng=rng) for m in wanted)
    ]
    both = [tested[0].a, tested[0].b]
    two, of_two = retrieved.select(both), evidence.select(both)
    checked = audit_collection(qrels, two)
    scores = [t.select(both) for t in score_all(evidence, wanted, universe=unknown).scores]
    lists = [_to_judge(of_two, table.measure, both, budget, rng) for table in scores]
    shown = _documents(qrels, two, scores[0], depth)
    texts = _texts(queries, documents, shown, lists)
    return SideBySide(
        measures=tuple(
            PairByMeasure(
                comparison=comparison,
                table=table,
                to_judge=replace(listed, texts=texts),
                command=_command(qrels, two, listed, budget),
                provenance=comparison.provenance,
            )
            for comparison, table, listed in zip(tested, scores, lists, strict=True)
        ),
        coverage=judged_coverage(of_two, checked),
        audit=checked,
        documents=_with_texts(shown, texts),
        provenance=tested[0].provenance,
    )


def _the_pair(comparisons: Comparisons, pair: Sequence[str]) -> Comparison:
    """Return the comparison of two runs that were named, or the only one there is."""
    for name in pair:
        indices_of(name, comparisons.systems, what="pair")
    for comparison in comparisons:
        if {comparison.a, comparison.b} == set(pair) or (not pair and len(comparisons) == 1):
            return comparison
    got = f"{len(comparisons):,} pairs" if not pair else " and ".join(pair)
    raise OptionError(
        f"pair: a page is about two runs that were compared; got {got}. Hint: name two of "
        f"{named(comparisons.systems)}, or give two runs."
    )


def _to_judge(
    evidence: Evidence, measure: Measure, both: Sequence[str], budget: int, rng: int
) -> JudgingList:
    """List the documents to judge for the order of two runs."""
    goal = Goal("pair", tuple(both))
    return next_of_evidence(evidence, goal, measure=measure, budget=budget, rng=rng)


def _documents(judgments: Judgments, runs: Runs, table: ScoreTable, depth: int) -> TopicDocuments:
    """Return the first documents of both runs, the topics on which they differ most first."""
    deltas = table.deltas(*runs.systems)
    order = np.argsort(-np.abs(deltas.difference), kind="stable").tolist()
    scored = [deltas.topics[t] for t in order]
    unscored = [topic for topic in table.topics if topic not in set(scored)]
    answered = {runs.topics[t] for t in np.flatnonzero(runs.lengths.any(axis=0)).tolist()}
    names = [topic for topic in (*scored, *unscored) if topic in answered]
    listed = names[:_TOPICS]
    few, judged = runs.select(topics=listed), judgments.select(topics=listed)
    shown = tuple(documents_of_topic(judged, few, name, depth=depth) for name in listed)
    return TopicDocuments(topics=shown, of=len(names), provenance=table.provenance)


def _texts(
    queries: TextSource | None,
    documents: TextSource | None,
    shown: TopicDocuments,
    lists: Iterable[JudgingList],
) -> Texts:
    """Read what topics ask, and what the documents say that are shown or listed."""
    topics = [topic.topic for topic in shown.topics]
    ids = [document for topic in shown.topics for document in topic.documents]
    ids += [document for listed in lists for document in listed.document]
    return as_texts(queries, documents, topics=topics, wanted=ids)


def _with_texts(shown: TopicDocuments, texts: Texts) -> TopicDocuments:
    return replace(
        shown, topics=tuple(replace(topic, texts=texts) for topic in shown.topics), texts=texts
    )


def _command(judgments: Judgments, runs: Runs, listed: JudgingList, budget: int) -> str:
    """Return the command that lists these documents, with the files where there are any."""
    files = [_file(judgments.source, "QRELS"), *(_file(source, "RUNS") for source in runs.sources)]
    options = {"--goal": str(listed.goal), "--measure": str(listed.measure)}
    rule = listed.provenance.topic_rule
    options |= {"--topics": rule if isinstance(rule, str) else "FILE", "--budget": str(budget)}
    words = ["poolwise", "next", *dict.fromkeys(files), *(w for o in options.items() for w in o)]
    return shlex.join(words)


def _file(source: Source, otherwise: str) -> str:
    return source.path if source.stamp else otherwise
