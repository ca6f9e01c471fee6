"""What ``trec_eval`` computes for one run, in its order and with its options."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.arrays import Booleans
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.files._sources import fields_of, lines_of, read_text
from poolwise.errors import InputError, OptionError, require_choice
from poolwise.evidence._grades import BEYOND, UNJUDGED, Block, Grades, map_grades
from poolwise.evidence._ungraded import condense
from poolwise.findings._trec_eval_scores import PrintedMeasure, TrecEvalScores
from poolwise.provenance._recorded import recorded
from poolwise.words import named
from poolwise.workflows._inputs import as_evidence
from poolwise.workflows._trec_eval_measures import (
    FAMILIES,
    GEOMETRIC_FLOOR,
    RunLists,
    families_wanted,
    measure_values,
    printed_name,
)

__all__ = [
    "JUDGMENT_FORMATS",
    "LIKE",
    "MISSING",
    "RUN_FORMATS",
    "ReferenceScores",
    "TrecEvalOptions",
    "read_references",
    "to_zscores",
    "trec_eval",
    "trec_eval_scores",
]

MISSING = -1_000_000.0
"""What trec_eval prints where a topic and measure have no reference."""

ReferenceScores = Mapping[tuple[str, str], tuple[float, float]]
"""By topic and printed name of the measure: mean and standard deviation."""


def read_references(path: str | Path) -> ReferenceScores:
    r"""Read lines of topic, measure, mean and standard deviation.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("301 map 0.12 0.15\n")
    ...     file.flush()
    ...     read_references(file.name)
    {('301', 'map'): (0.12, 0.15)}
    """
    references = {}
    for number, line in enumerate(lines_of(read_text(path)), 1):
        fields = fields_of(line)
        if not fields:
            continue
        try:
            topic, measure, mean, deviation = fields
            references[topic, measure] = float(mean), float(deviation)
        except ValueError:
            raise InputError(
                f"{path}:{number}",
                "a line must hold topic, measure, mean and standard deviation",
                value=line,
                remedy="correct the line",
            ) from None
    return references


def to_zscores(
    values: Sequence[float], name: str, topics: Sequence[str], references: ReferenceScores
) -> list[float]:
    """Return each topic's distance from its mean, in standard deviations.

    Examples
    --------
    >>> to_zscores([0.5, 0.5, 0.5], "map", ["1", "2", "3"], {("1", "map"): (0.3, 0.1),
    ...                                                      ("2", "map"): (0.5, 0.0)})
    [2.0, 0.0, -1000000.0]
    """
    pairs = (references.get((topic, name)) for topic in topics)
    return [_zscore(value, pair) for value, pair in zip(values, pairs, strict=True)]


def _zscore(value: float, reference: tuple[float, float] | None) -> float:
    if reference is None:
        return MISSING
    mean, deviation = reference
    if deviation:
        return (value - mean) / deviation
    # Without any deviation only the mean itself has a distance.
    return 0.0 if value == mean else MISSING


JUDGMENT_FORMATS = {"qrels": "topic, iteration, document, grade"}
RUN_FORMATS = {"trec_results": "topic, iteration, document, rank, score, tag"}
"""What ``-R`` and ``-T`` of ``trec_eval`` may say here: what it takes without them."""

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
    rel : float
        ``-l``: the smallest relevant grade; with 0 every judged document is relevant.
    judged_only : bool
        ``-J``: leave unjudged documents out before scoring.
    depth : int or None
        ``-M``: look at the first ranks of each list only; with 0 at none.
    collection_size : int
        ``-N``: documents in the collection, which the fourth weight of ``utility`` needs.
    like : {"9", "10"}
        The version to print as.
    references : mapping, optional
        ``-Z``: means and deviations to print distances from, as :func:`read_references` reads
        them.

    Examples
    --------
    >>> from poolwise import Grades
    >>> grades = Grades.from_grades([[1, 2, None]], judged=[1, 2, 0])
    >>> options = TrecEvalOptions(measures=("P.5",), rel=2)
    >>> trec_eval_scores(grades, options).columns()["value"]
    [0.2]
    """

    measures: tuple[str, ...] = ("official",)
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    rel: float = 1
    judged_only: bool = False
    depth: int | None = None
    collection_size: int = 0
    like: str = "10"
    references: ReferenceScores | None = None


@recorded
def trec_eval(
    judgments: Any,
    run: Any,
    *,
    measures: Sequence[str] = ("official",),
    per_topic: bool = False,
    summary: bool = True,
    complete: bool = False,
    rel: float = 1,
    judged_only: bool = False,
    depth: int | None = None,
    collection_size: int = 0,
    references: str | None = None,
    like: str = "10",
) -> TrecEvalScores:
    """Compute for one run what ``trec_eval`` computes.

    Parameters
    ----------
    run
        One run, or whatever :func:`~poolwise.read_runs` reads.
    measures, per_topic, summary, complete, rel, judged_only, depth, collection_size
        The options of the command line: see :class:`TrecEvalOptions`.
    references
        A file of means and deviations, for ``-Z``.
    like : {"9", "10"}
        The version; 9 compares scores in single precision.

    Returns
    -------
    TrecEvalScores
        The measures in the order in which ``trec_eval`` prints them, by topic and over all.

    Examples
    --------
    >>> scores = trec_eval({"1": {"a": 1, "b": 0}}, {"bm25": {"1": {"b": 2.0, "a": 1.0}}},
    ...                    measures=("map", "P.5"))
    >>> scores.columns()["measure"], scores.columns()["value"]
    (['map', 'P_5'], [0.5, 0.2])
    """
    ties = "trec_eval9" if like == "9" else "trec_eval"
    # Runs that are read already keep the order that they were read in.
    reading = Reading() if isinstance(run, Runs) else Reading(ties=ties, names="tag")
    grades = as_evidence(judgments, run, reading=reading)
    reference_scores = read_references(references) if references else None
    if len(grades.systems) > 1:
        raise OptionError(
            f"run: trec_eval looks at one run; got {named(grades.systems)}. Hint: name one file, "
            "or use evaluate."
        )
    options = TrecEvalOptions(
        tuple(measures),
        per_topic,
        summary,
        complete,
        rel,
        judged_only,
        depth,
        collection_size,
        like,
        reference_scores,
    )
    return trec_eval_scores(grades, options)


@recorded
def trec_eval_scores(grades: Grades, options: TrecEvalOptions | None = None) -> TrecEvalScores:
    """Compute the measures that ``trec_eval`` prints, for the first run.

    Parameters
    ----------
    grades : Grades
        A run met with judgments; of several runs the first counts.
    options : TrecEvalOptions, optional
        Those of the command line; by default what ``trec_eval`` does without any.

    Returns
    -------
    TrecEvalScores
        The measures in the order in which ``trec_eval`` prints them, by topic and over all.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 0, None]], judged=[1, 1, 0])
    >>> trec_eval_scores(grades, TrecEvalOptions(("map",))).columns()["value"]
    [0.5]
    """
    options = options or TrecEvalOptions()
    require_choice("like", options.like, ("9", "10"))
    # trec_eval reads grades, and the level, as integers: what follows the point is cut off.
    grades = map_grades(grades, np.trunc)
    answered = grades.lengths[0] > 0
    lists = RunLists(
        _prepare(_with_missing(grades, options), options),
        _added(answered, options),
        int(options.rel),
        options.collection_size,
        int(options.like),
    )
    return TrecEvalScores(
        run=grades.systems[0],
        topics=grades.topics,
        answered=tuple(np.flatnonzero(answered).tolist()),
        shown=tuple(np.flatnonzero(_added(answered, options)).tolist()),
        measures=tuple(_printed(lists, options, ~answered)),
        per_topic=options.per_topic,
        summary=options.summary,
        provenance=grades.provenance.with_options(like=options.like),
    )


def _prepare(grades: Grades, options: TrecEvalOptions) -> Grades:
    """Cut the lists first, and only then leave unjudged documents out."""
    if options.depth is not None:
        grades = grades.truncate(options.depth)
    return condense(grades) if options.judged_only else grades


def _with_missing(grades: Grades, options: TrecEvalOptions) -> Grades:
    """Give topics that the run lacks the one unjudged document that ``-c`` of version 10 scores."""
    if not (options.complete and options.like == "10"):
        return grades
    blocks = []
    for block in grades.blocks:
        codes = np.pad(block.codes, ((0, 0), (0, 0), (0, int(block.depth == 0))), **_BEYOND)
        codes[:, :, :1][block.lengths == 0] = UNJUDGED
        blocks.append(Block(codes=codes, scale=block.scale, pool=block.pool))
    return Grades(
        systems=grades.systems,
        topics=grades.topics,
        blocks=tuple(blocks),
        provenance=grades.provenance,
    )


_BEYOND: dict[str, Any] = {"constant_values": BEYOND}

_CLEARED = ("num_ret", "utility", "relstring", "rbp_resid")
"""What version 10 sets to nothing for a topic that the run lacks, if it has no parameters."""


def _cleared(measure: PrintedMeasure, lacking: Booleans) -> PrintedMeasure:
    """Return the values with those of missing topics set to 0, where trec_eval does so."""
    # It goes by the printed name: utility_2,-1,0,0 and relstring_5 keep what one unjudged document
    # gives them.
    if measure.name not in _CLEARED and measure.family != "unj":
        return measure
    nothing: float | str = "''" if measure.is_text else 0.0
    values = zip(measure.values, lacking.tolist(), strict=True)
    return replace(measure, values=tuple(nothing if out else value for value, out in values))


def _added(answered: Booleans, options: TrecEvalOptions) -> Booleans:
    """Return which topics are printed and added up: ``-c`` of version 10 scores missing ones."""
    return answered | (options.complete and options.like == "10")


def _printed(
    lists: RunLists, options: TrecEvalOptions, lacking: Booleans
) -> Iterator[PrintedMeasure]:
    wanted = families_wanted(options.measures, options.like)
    for family in FAMILIES:
        for parameter in wanted.get(family, ()):
            values = tuple(measure_values(family, parameter, lists))
            name = printed_name(family, parameter)
            plain = PrintedMeasure(name, family, values, whole=family in _COUNTS)
            plain = _cleared(plain, lacking)
            measure = _standardized(plain, lists.grades.topics, options.references)
            yield replace(measure, total=_total(measure, lists, options))


def _standardized(
    plain: PrintedMeasure, topics: Sequence[str], references: ReferenceScores | None
) -> PrintedMeasure:
    if references is None or plain.is_text:
        return plain
    values = [float(v) for v in plain.values]
    if plain.family != "num_q":
        values = to_zscores(values, plain.name, topics, references)
    return replace(plain, values=tuple(values), standardized=True, whole=False)


def _total(measure: PrintedMeasure, lists: RunLists, options: TrecEvalOptions) -> float:
    """Combine topics: counts are summed, ``gm_`` measures averaged in logarithms."""
    if measure.is_text:
        return float("nan")
    topics = np.flatnonzero(lists.answered).tolist()
    # -c divides by all judged topics; those that the run lacks add nothing.
    among = len(lists.answered) if options.complete else len(topics)
    if measure.family == "num_q":
        return float(among)
    if measure.family == "num_rel" and options.complete:
        # A fault of trec_eval, kept: whatever the level, every grade above 0 counts here.
        return float(lists.grades.relevant(1).sum())
    total = _sum_in_order([float(measure.values[t]) for t in topics])
    if measure.family in _COUNTS:
        return total
    if not measure.family.startswith("gm_"):
        return total / max(among, 1)
    # A missing topic has the smallest score there is in logarithms, not 0.
    total += (among - len(topics)) * float(np.log(GEOMETRIC_FLOOR))
    return float(np.exp(total / among)) if among else 0.0


def _sum_in_order(values: Sequence[float]) -> float:
    """Add one after the other, as trec_eval does: a printed digit can depend on the order."""
    return float(np.cumsum([0.0, *values])[-1])
