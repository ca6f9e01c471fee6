"""What ``trec_eval`` prints, byte for byte, because scripts parse it.

Names, order, defaults and number formats are those of trec_eval 9 and 10. Topics without a
relevant document count with 0 in every mean here, as there, though a
:class:`~poolwise.ScoreTable` calls them undefined.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import OptionError
from poolwise.evidence.completion import condense, count_ungraded
from poolwise.evidence.grade_codes import BEYOND, POOLED, UNJUDGED
from poolwise.evidence.grades import Grades
from poolwise.measures.catalogue import RBP, Utility
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure
from poolwise.views.trec_eval.names import FAMILIES, families_wanted
from poolwise.views.trec_eval.zscores import ZScores, to_zscores

__all__ = ["TrecEvalOptions", "trec_eval_lines"]

_ONLY_SUMMARY = {"runid", "num_q", "gm_map", "gm_bpref"}
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
    zscores : mapping, optional
        ``-Z``: means and deviations to print distances from, as :func:`read_zscores` reads them.
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
    zscores: ZScores | None = None


@dataclass(frozen=True, eq=False)
class _Printed:
    """One measure as printed: its name and its value for every topic."""

    name: str
    family: str
    values: Sequence[float | str]
    standardized: bool = False

    def line(self, topic: str, value: float | str) -> str:
        """Return what is printed; a distance is marked and never whole."""
        marked = self.standardized and not isinstance(value, str)
        whole = self.family in _COUNTS and not marked
        text = value if isinstance(value, str) else f"{value:.0f}" if whole else f"{value:6.4f}"
        return f"{'Z' if marked else ''}{self.name:<22}\t{topic}\t{text}"


def trec_eval_lines(evidence: Grades, options: TrecEvalOptions | None = None) -> Iterator[str]:
    r"""Yield the lines that ``trec_eval`` prints for one run.

    Examples
    --------
    >>> evidence = Grades.from_grades([[1, 0, None]], judged=[1, 1, 0])
    >>> print(*trec_eval_lines(evidence, TrecEvalOptions(("map", "P.5,10"))), sep="\n")
    map                   	all	0.5000
    P_5                   	all	0.2000
    P_10                  	all	0.1000
    """
    options = options or TrecEvalOptions()
    answered = np.flatnonzero(evidence.lengths[0] > 0).tolist()
    printed = list(_printed(_prepare(evidence, options), options))
    if options.per_topic:
        yield from _topic_lines(printed, evidence.topics, answered)
    if options.summary:
        yield from _summary_lines(printed, evidence, answered, complete=options.complete)


def _prepare(evidence: Grades, options: TrecEvalOptions) -> Grades:
    if options.judged_only:
        evidence = condense(evidence)
    return evidence if options.depth is None else evidence.truncate(options.depth)


def _topic_lines(
    printed: Iterable[_Printed], topics: Sequence[str], answered: Iterable[int]
) -> Iterator[str]:
    shown = [p for p in printed if p.family not in _ONLY_SUMMARY]
    for t in answered:
        for p in shown:
            yield p.line(topics[t], p.values[t])


def _summary_lines(
    printed: Iterable[_Printed], evidence: Grades, answered: list[int], *, complete: bool
) -> Iterator[str]:
    topics = range(len(evidence.topics)) if complete else answered
    for p in printed:
        if p.family == "runid":
            yield p.line("all", evidence.systems[0])
        elif p.family != "relstring":
            values = np.array([p.values[t] for t in topics], np.float64)
            yield p.line("all", _total(p.family, values))


def _total(family: str, values: Floats) -> float:
    """Combine topics: counts are summed, ``gm_`` measures averaged in logarithms."""
    if family in _COUNTS:
        return float(values.sum())
    if not len(values):
        return 0.0
    return float(np.exp(values.mean()) if family.startswith("gm_") else values.mean())


def _printed(evidence: Grades, options: TrecEvalOptions) -> Iterator[_Printed]:
    wanted = families_wanted(options.measures, options.like)
    for family, defaults in FAMILIES.items():
        if family in wanted:
            parameters = wanted[family] or defaults
            for name in [f"{family}_{p}" for p in parameters] or [family]:
                yield _standardized(
                    _Printed(name, family, _values(name, family, evidence, options)),
                    evidence.topics,
                    options.zscores,
                )


def _standardized(printed: _Printed, topics: Sequence[str], references: ZScores | None) -> _Printed:
    if references is None or printed.family in ("runid", "relstring"):
        return printed
    values = [float(v) for v in printed.values]
    if printed.family != "num_q":
        values = to_zscores(values, printed.name, topics, references)
    return replace(printed, values=values, standardized=True)


def _values(
    name: str, family: str, evidence: Grades, options: TrecEvalOptions
) -> Sequence[float | str]:
    """Return a measure's value for every topic; undefined counts 0."""
    if family in ("runid", "num_q"):
        return [1.0] * len(evidence.topics)
    if family == "relstring":
        return _grade_strings(evidence, int(name.partition("_")[2] or 10))
    if family == "unj":
        return _unjudged_shares(evidence, int(name.partition("_")[2]))
    if family == "rbp_resid":
        bounds = _measure(name.replace("_resid", "", 1), options).bounds(evidence)
        return (bounds.upper - bounds.lower)[0].tolist()
    if family == "utility":
        return _utilities(evidence, name.partition("_")[2], options)
    values = np.nan_to_num(_measure(name.removeprefix("gm_"), options).score(evidence)[0])
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


def _utilities(evidence: Grades, text: str, options: TrecEvalOptions) -> list[float]:
    """Weigh the four cells of the table retrieved or not × relevant or not."""
    try:
        gain, cost, missed, avoided = (float(part) for part in (text or "1,-1,0,0").split(","))
    except ValueError:
        raise OptionError(
            f"-m: utility takes four weights; got {text!r}. Hint: write utility.1,-1,0,0."
        ) from None
    utility = Utility(gain=gain - avoided, cost=cost - avoided, missed=missed - avoided)
    rest = avoided * options.collection_size
    return (utility(rel=options.level).score(evidence)[0] + rest).tolist()


def _unjudged_shares(evidence: Grades, depth: int) -> list[float]:
    """Divide by the cut-off, as trec_eval 10 does, where ``Unjudged@k`` stops at the list's end."""
    return (count_ungraded(evidence.truncate(depth))[0] / depth).tolist()


def _grade_strings(evidence: Grades, depth: int) -> list[str]:
    """Write the first grades of each list, one character a document."""
    grades = [">" if g > 9 else f"{g:.0f}" for g in evidence.scale]
    symbols = {**dict(enumerate(grades)), UNJUDGED: "-", POOLED: ".", BEYOND: ""}
    lists = (row for block in evidence.truncate(depth).blocks for row in block.codes[0].tolist())
    return [f"'{''.join(symbols[code] for code in row)}'" for row in lists]
