"""What ``trec_eval`` computes, for one run.

Names, order and defaults are those of trec_eval 9 and 10. Topics without a relevant document count
with 0 in every mean here, as there, though a :class:`~poolwise.ScoreTable` calls them undefined.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from poolwise.errors import OptionError
from poolwise.evidence.completion import condense, count_ungraded
from poolwise.evidence.grade_codes import BEYOND, POOLED, UNJUDGED
from poolwise.evidence.grades import Grades
from poolwise.findings.trec_eval_scores import PrintedMeasure, TrecEvalScores
from poolwise.measures.catalogue import RBP, Utility
from poolwise.measures.derived import Residual
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.workflows.as_trec_eval.measure_families import FAMILIES, families_wanted
from poolwise.workflows.as_trec_eval.reference_scores import (
    ReferenceScores,
    read_references,
    to_zscores,
)
from poolwise.workflows.inputs import as_evidence

__all__ = ["LIKE", "TrecEvalOptions", "trec_eval", "trec_eval_scores"]

LIKE = {"9": "trec_eval 9.0.8", "10": "trec_eval 10.0, without its bugs"}
"""The versions whose output can be printed."""

_COUNTS = {"num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"}


@dataclass(frozen=True)
class TrecEvalOptions:
    """The options of ``trec_eval``, by what they do.

    Attributes
    ----------
    measures : tuple of str
        ``-m``: names (``map``), names with cut-offs (``P.5,10``, ``P_5``), or nicknames
        (``official``, ``all_trec``, ``set``).
    per_topic, summary : bool
        ``-q`` and, turned off, ``-n``.
    complete : bool
        ``-c``: average over all judged topics instead of those the run answers.
    level : float
        ``-l``: the smallest relevant grade.
    judged_only : bool
        ``-J``: leave unjudged documents out before scoring.
    depth : int or None
        ``-M``: look at the first ranks of each list only.
    collection_size : int
        ``-N``: documents in the collection, which the fourth weight of ``utility`` needs.
    like : {"9", "10"}
        The version to print as.
    references : mapping, optional
        ``-Z``: means and deviations to print distances from, as :func:`read_references` reads
        them.
    """

    measures: tuple[str, ...] = ("official",)
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    level: float = 1
    judged_only: bool = False
    depth: int | None = None
    collection_size: int = 0
    like: str = "10"
    references: ReferenceScores | None = None


def trec_eval(
    judgments: Any, run: Any, *, references: str | None = None, like: str = "10", **options: Any
) -> TrecEvalScores:
    """Compute for one run what ``trec_eval`` computes.

    Parameters
    ----------
    judgments, run
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    references
        A file of means and deviations, for ``-Z``.
    like : {"9", "10"}
        The version; 9 compares scores in single precision.
    options
        Those of :class:`TrecEvalOptions`.

    Examples
    --------
    >>> found = trec_eval({"1": {"a": 1, "b": 0}}, {"bm25": {"1": {"b": 2.0, "a": 1.0}}},
    ...                   measures=("map", "P.5"))
    >>> found.columns()["measure"], found.columns()["value"]
    (['map', 'P_5'], [0.5, 0.2])
    """
    ties = "trec_eval9" if like == "9" else "trec_eval"
    grades = as_evidence(judgments, run, ties=ties, names="tag")
    known = read_references(references) if references else None
    return trec_eval_scores(grades, TrecEvalOptions(like=like, references=known, **options))


def trec_eval_scores(grades: Grades, options: TrecEvalOptions | None = None) -> TrecEvalScores:
    """Compute the measures that ``trec_eval`` prints, for the first run.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 0, None]], judged=[1, 1, 0])
    >>> trec_eval_scores(grades, TrecEvalOptions(("map",))).columns()["value"]
    [0.5]
    """
    options = options or TrecEvalOptions()
    answered = np.flatnonzero(grades.lengths[0] > 0).tolist()
    counted = range(len(grades.topics)) if options.complete else answered
    printed = [
        replace(measure, total=_total(measure, list(counted)))
        for measure in _printed(_prepare(grades, options), options)
    ]
    return TrecEvalScores(
        run=grades.systems[0],
        topics=grades.topics,
        answered=tuple(answered),
        measures=tuple(printed),
        per_topic=options.per_topic,
        summary=options.summary,
        provenance=grades.provenance.with_options(like=options.like),
    )


def _prepare(grades: Grades, options: TrecEvalOptions) -> Grades:
    if options.judged_only:
        grades = condense(grades)
    return grades if options.depth is None else grades.truncate(options.depth)


def _total(measure: PrintedMeasure, topics: list[int]) -> float:
    """Combine topics: counts are summed, ``gm_`` measures averaged in logarithms."""
    if measure.is_text:
        return float("nan")
    values = np.array([measure.values[t] for t in topics], np.float64)
    if measure.family in _COUNTS:
        return float(values.sum())
    if not len(values):
        return 0.0
    return float(np.exp(values.mean()) if measure.family.startswith("gm_") else values.mean())


def _printed(grades: Grades, options: TrecEvalOptions) -> Iterator[PrintedMeasure]:
    wanted = families_wanted(options.measures, options.like)
    for family, defaults in FAMILIES.items():
        if family in wanted:
            parameters = wanted[family] or defaults
            for name in [f"{family}_{p}" for p in parameters] or [family]:
                values = _values(name, family, grades, options)
                plain = PrintedMeasure(name, family, tuple(values), whole=family in _COUNTS)
                yield _standardized(plain, grades.topics, options.references)


def _standardized(
    plain: PrintedMeasure, topics: Sequence[str], references: ReferenceScores | None
) -> PrintedMeasure:
    if references is None or plain.is_text:
        return plain
    values = [float(v) for v in plain.values]
    if plain.family != "num_q":
        values = to_zscores(values, plain.name, topics, references)
    return replace(plain, values=tuple(values), standardized=True, whole=False)


def _values(
    name: str, family: str, grades: Grades, options: TrecEvalOptions
) -> Sequence[float | str]:
    """Return a measure's value for every topic; undefined counts 0."""
    if family in _SPECIAL:
        return _SPECIAL[family](grades, name.removeprefix(family).removeprefix("_"), options)
    values = np.nan_to_num(_measure(name.removeprefix("gm_"), options).score(grades)[0])
    return (np.log(np.maximum(values, 1e-5)) if family.startswith("gm_") else values).tolist()


def _measure(name: str, options: TrecEvalOptions) -> Measure:
    """Return the measure behind a printed name, at the wanted relevance level."""
    family, _, parameters = name.partition("_")
    if family == "rbp":
        # trec_eval 10 scales gains by each topic's own top grade; the collection's is meant.
        return RBP(p=float(parameters.removeprefix("p=") or 0.9), gain="linear")
    measure = parse_measure(name)
    taken = measure.parameters()
    changes: dict[str, object] = {}
    if "version" in taken:
        changes["version"] = int(options.like)
    if taken.get("rel") is not None:
        changes["rel"] = options.level
    return measure(**changes)


def _tags(grades: Grades, _: str, __: TrecEvalOptions) -> list[str]:
    return [grades.systems[0]] * len(grades.topics)


def _ones(grades: Grades, _: str, __: TrecEvalOptions) -> list[float]:
    return [1.0] * len(grades.topics)


def _residuals(grades: Grades, text: str, options: TrecEvalOptions) -> list[float]:
    rbp = _measure(f"rbp_{text}" if text else "rbp", options)
    return Residual(of=rbp).score(grades)[0].tolist()


def _utilities(grades: Grades, text: str, options: TrecEvalOptions) -> list[float]:
    """Weigh the four cells of the table retrieved or not × relevant or not."""
    try:
        gain, cost, missed, avoided = (float(part) for part in (text or "1,-1,0,0").split(","))
    except ValueError:
        raise OptionError(
            f"-m: utility takes four weights; got {text!r}. Hint: write utility.1,-1,0,0."
        ) from None
    utility = Utility(gain=gain - avoided, cost=cost - avoided, missed=missed - avoided)
    rest = avoided * options.collection_size
    return (utility(rel=options.level).score(grades)[0] + rest).tolist()


def _unjudged_shares(grades: Grades, text: str, _: TrecEvalOptions) -> list[float]:
    """Divide by the cut-off, as trec_eval 10 does, where ``Unjudged@k`` stops at the list's end."""
    depth = int(text)
    return (count_ungraded(grades.truncate(depth))[0] / depth).tolist()


def _grade_strings(grades: Grades, text: str, _: TrecEvalOptions) -> list[str]:
    """Write the first grades of each list, one character a document."""
    depth = int(text or 10)
    written = [">" if g > 9 else f"{g:.0f}" for g in grades.scale]
    symbols = {**dict(enumerate(written)), UNJUDGED: "-", POOLED: ".", BEYOND: ""}
    lists = (row for block in grades.truncate(depth).blocks for row in block.codes[0].tolist())
    return [f"'{''.join(symbols[code] for code in row)}'" for row in lists]


_SPECIAL: dict[str, Callable[[Grades, str, TrecEvalOptions], Sequence[float | str]]] = {
    "runid": _tags,
    "num_q": _ones,
    "relstring": _grade_strings,
    "unj": _unjudged_shares,
    "rbp_resid": _residuals,
    "utility": _utilities,
}
"""What is not the plain score of a measure: how each is computed, given the text after its name."""
