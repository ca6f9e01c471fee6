"""From grades to score tables, and what was found by each of several measures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from poolwise.arrays import Booleans, Floats, Integers
from poolwise.collection._runs import Runs
from poolwise.collection._subtopics import SubtopicJudgments
from poolwise.errors import MeasureError, MissingMeasureError, OptionError, require_choice
from poolwise.evidence._grades import BEYOND, Block, Graded
from poolwise.evidence._subtopic_lists import SubtopicLists, subtopic_lists
from poolwise.evidence._ungraded import Kind, Universe
from poolwise.measures._derived import Logarithm, Residual
from poolwise.measures._diversity import SubtopicMeasure
from poolwise.measures._measure import Measure
from poolwise.measures._names import measure_named, parse_measure
from poolwise.measures._ranges import NO_SCOPE, Bounds, RangeScope, no_bounds, range_options
from poolwise.measures.families._judged_only import LeastJudged, list_lengths, shorter_lists
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.provenance._provenance import Notice, Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns, RowParts, Rows, stack_columns
from poolwise.results._finding import Finding, FindingByTopic, finding
from poolwise.results._progress import counting, progress_reporter
from poolwise.results._tables import Table
from poolwise.results._threads import in_threads
from poolwise.scores._sampling_errors import sampling_errors
from poolwise.scores._score_table import AVERAGES, ScoreTable, tidy
from poolwise.scores._side_by_side import side_by_side, where_judging_matters
from poolwise.words import said_by_measure

__all__ = [
    "BOUNDS",
    "MEANS",
    "ByMeasure",
    "Evaluation",
    "OfOneMeasure",
    "log_scores",
    "measure_for_mean",
    "score",
    "score_all",
    "score_subtopics",
]

BOUNDS = {
    "exact": "over every grade that the unjudged documents of the universe could have",
    "naive": "unjudged documents take the best grades left in the pool; the ideal stays (B23 §3.3)",
    "none": "no bounds",
}

Progress = Callable[[int, int], None]


@finding
class Evaluation(FindingByTopic, Mapping[str, ScoreTable]):
    """Score tables by canonical measure name, in the order asked for.

    Attributes
    ----------
    scores : tuple of ScoreTable
        One table per measure.
    beside : tuple of ScoreTable
        Of each measure, the share of documents that is judged down to its depth, such as
        ``Judged@10``, which a leaderboard shows in a further column; or nothing.
    longest : int array, systems
        The length of the longest list of each run; empty where that is not known.
    residuals : tuple of ScoreTable
        The residual that goes with each measure, where one was asked for.
    remarks : tuple of str
        How each residual was chosen.
    averages : tuple of str
        Averages beside the mean, such as the geometric one: keys of ``AVERAGES``.

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> evidence = align(Judgments.from_dict({"1": {"a": 1, "b": 1}}),
    ...                  Runs.from_rankings({"bm25": {"1": ["a", "x"]}}))
    >>> result = score_all(evidence, ["P@2", "map"])
    >>> list(result), result["AP"].value.tolist()
    (['P@2', 'AP'], [[0.5]])
    """

    scores: tuple[ScoreTable, ...]
    beside: tuple[ScoreTable, ...] = ()
    residuals: tuple[ScoreTable, ...] = ()
    remarks: tuple[str, ...] = ()
    averages: tuple[str, ...] = ()
    longest: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    recorded_parts: ClassVar[tuple[str, ...]] = ("scores", "beside", "residuals")

    @classmethod
    def of(cls, scores: Iterable[ScoreTable], beside: Iterable[ScoreTable] = ()) -> "Evaluation":
        """Put score tables of the same runs together; the provenance is that of the first."""
        tables = tuple(scores)
        return cls(tables, tuple(beside), provenance=tables[0].provenance)

    def with_averages(self, names: str | Iterable[str]) -> "Evaluation":
        """Return the same with averages beside the means: keys of ``AVERAGES``.

        Examples
        --------
        >>> from poolwise import Grades
        >>> evaluation = score_all(Grades.from_grades([[1, None, 0, 0]]), ["P@4"])
        >>> round(evaluation.with_averages("median").columns()["median"][-1], 3)
        0.25
        """
        wanted = (names,) if isinstance(names, str) else tuple(names)
        for name in wanted:
            require_choice("averages", name, AVERAGES)
        if not wanted:
            return self
        made = self.provenance.with_options(averages=wanted)
        return replace(self, averages=wanted, provenance=made)

    def __getitem__(self, name: str | Measure) -> ScoreTable:
        wanted = measure_named(name)
        for table in self.scores:
            if table.measure == wanted or str(table.measure) == name:
                return table
        raise MissingMeasureError(name, self)

    def __iter__(self) -> Iterator[str]:
        return (str(table.measure) for table in self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def columns(self, *, per_topic: bool = True) -> Columns:
        """Return one row per run, measure and topic; topic ``all`` is the mean over topics."""
        scores = tidy(self.scores, per_topic=per_topic)
        for name in self.averages:
            parts = [table.average_columns(name, per_topic=per_topic) for table in self.scores]
            scores |= stack_columns(parts)
        if self.beside:
            parts = [table.columns(per_topic=per_topic) for table in self.beside]
            scores["judged"] = [cell for part in parts for cell in part["value"]]
        if not self.residuals:
            return scores
        of_residuals = [table.columns(per_topic=per_topic)["value"] for table in self.residuals]
        matched = [getattr(_base(table.measure), "p", float("nan")) for table in self.residuals]
        sizes = zip(matched, map(len, of_residuals), strict=True)
        return scores | {
            "matched_p": [p for p, size in sizes for _ in range(size)],
            "matched_residual": [value for values in of_residuals for value in values],
        }

    def row_parts(self, *, per_topic: bool = True) -> RowParts:
        """Return the rows of :meth:`columns`, some at a time: there may be a great many."""
        # The rows that come in parts have no columns but those of every table.
        further = any(len(table.uncertainties()) > 2 for table in self.scores)
        if self.residuals or self.averages or further or not per_topic:
            return RowParts(lambda: [self.columns(per_topic=per_topic)])
        judged = self.beside or (None,) * len(self.scores)
        both = list(zip(self.scores, judged, strict=True))
        return RowParts(lambda: chain.from_iterable(_row_parts(*pair) for pair in both))

    @property
    def is_matrix(self) -> bool:
        """Whether there is one table for all measures: nothing stands beside the means."""
        return len(self.scores) > 1 and not (self.residuals or self.averages)

    def tables(self) -> tuple[Table, ...]:
        """Return the means by all measures in one table; of one measure its leaderboard."""
        return (side_by_side(self.scores),) if self.is_matrix else self.leaderboards()

    def leaderboards(self) -> tuple[Table, ...]:
        """Return a leaderboard for each measure."""
        nothing = (None,) * len(self.scores)
        both = zip(self.residuals or nothing, self.beside or nothing, strict=True)
        return tuple(
            table.leaderboard(
                beside=[extra for extra in beside if extra is not None], averages=self.averages
            )
            for table, beside in zip(self.scores, both, strict=True)
        )

    def depths(self) -> tuple[tuple[str, ...], ...]:
        """Say of each measure how deep it looks, which lists are shorter, and what is judged."""
        judged = self.beside or (None,) * len(self.scores)
        return tuple(
            (*self._list_lengths(table), *_least_judged(table.measure, beside))
            for table, beside in zip(self.scores, judged, strict=True)
        )

    def _list_lengths(self, table: ScoreTable) -> tuple[str, ...]:
        if not len(self.longest):
            return ()
        return list_lengths(table.measure, table.systems, self.longest)

    def _shorter(self, table: ScoreTable) -> tuple[str, ...]:
        if not len(self.longest):
            return ()
        return shorter_lists(table.measure, table.systems, self.longest)

    def sentences(self) -> tuple[str, ...]:
        """Say what the tables leave out: where judging matters; of one measure, everything."""
        return self.in_short() if self.is_matrix else self.in_full()

    def answer(self) -> str:
        """Return the headline of a single measure; of several, the matrix says it."""
        return "" if len(self.scores) > 1 else self.scores[0].headline()

    def in_short(self) -> tuple[str, ...]:
        """Say where judging matters, what the means are without, and what ranges do not hold."""
        each = {
            str(table.measure): (
                *self._shorter(table),
                *table.missing(),
                *table.over_judgments.meaning,
            )
            for table in self.scores
        }
        return (*where_judging_matters(self.scores), *said_by_measure(each))

    def each_in_short(self) -> tuple[tuple[str, ...], ...]:
        """Say the same of each measure by itself."""
        return tuple(
            (
                *where_judging_matters([table]),
                *(table.scope.sentences() if table.scope.kind == "none" else ()),
                *self._shorter(table),
                *table.missing(),
                *table.over_judgments.meaning,
            )
            for table in self.scores
        )

    def in_full(self) -> tuple[str, ...]:
        """Say of each measure who is ahead, and how residuals were chosen."""
        return (*(said for of_one in self.each_in_full() for said in of_one), *self.remarks)

    def each_in_full(self) -> tuple[tuple[str, ...], ...]:
        """Say of each measure who is ahead, how sure that is, and how deep the measure looks."""
        both = zip(self.scores, self.depths(), strict=True)
        return tuple((*table.sentences(), *depths) for table, depths in both)


def _row_parts(table: ScoreTable, judged: ScoreTable | None) -> Iterator[Rows]:
    """Yield the rows of scores, with the share that is judged where that is known."""
    if judged is None:
        yield from table.row_parts()
        return
    for rows, shares in zip(table.row_parts(), judged.row_parts(), strict=True):
        yield {**rows, "judged": shares["value"]}


def _least_judged(measure: Measure, judged: ScoreTable | None) -> tuple[str, ...]:
    least = (
        None
        if judged is None
        else LeastJudged.of(measure, judged.systems, judged.topics, judged.value)
    )
    return () if least is None else (str(least),)


def _base(measure: Measure) -> object:
    """Return the measure that a residual is of; None where no persistence matched."""
    return measure.of if isinstance(measure, Residual) else None


@recorded
def score(
    grades: Graded,
    measure: Measure | str,
    *,
    bounds: str = "exact",
    universe: Universe | Kind = "runs",
) -> ScoreTable:
    """Score every run on every topic.

    Parameters
    ----------
    grades : Grades or GradeStream
        Runs met with judgments: :class:`~poolwise.Evidence`, or grades without documents.
    bounds : {"exact", "naive", "none"}
        Which range to give for the unjudged documents: see ``BOUNDS``.

    Returns
    -------
    ScoreTable
        Scores by system and topic, with lower and upper bound; NaN where a score is undefined.

    Examples
    --------
    >>> from poolwise import Grades
    >>> table = score(Grades.from_grades([[1, None, 0, None]]), "P@4")
    >>> table.value.item(), table.lower.item(), table.upper.item()
    (0.25, 0.25, 0.75)
    """
    return score_all(grades, [measure], bounds=bounds, universe=universe).scores[0]


@recorded
def score_all(
    grades: Graded,
    measures: Iterable[Measure | str],
    *,
    bounds: str = "exact",
    universe: Universe | Kind = "runs",
    progress: Progress | None = None,
) -> Evaluation:
    """Score every run on every topic by several measures.

    Parameters
    ----------
    grades : Grades or GradeStream
        Runs met with judgments: :class:`~poolwise.Evidence`, or grades without documents. They
        are scored block by block, so that temporary arrays stay small, and blocks that come one
        after another are not kept.
    bounds : {"exact", "naive", "none"}
        Which range to give for the unjudged documents: see ``BOUNDS``.

    Returns
    -------
    Evaluation
        One table per measure, which are found by the measure or its name.

    Examples
    --------
    >>> from poolwise import Grades
    >>> evaluation = score_all(Grades.from_grades([[1, None, 0, None]]), ["P@4", "RR"])
    >>> evaluation["P@4"].upper.item(), evaluation["RR"].value.item()
    (0.75, 1.0)
    """
    require_choice("bounds", bounds, BOUNDS)
    universe = Universe.of(universe)
    wanted = [parse_measure(m) for m in measures]
    work = partial(_score_block, measures=wanted, bounds=bounds, universe=universe)
    all_topics = _AllTopics(len(wanted), len(grades.topics))
    report = progress_reporter(progress, "topics scored")
    for topics, block in zip(grades.slices, _scored(grades, work), strict=True):
        all_topics.put(topics, block)
        report(topics.stop, len(grades.topics))
    of_measures = zip(wanted, all_topics.scores, strict=True)
    make = partial(_table, grades, answered=all_topics.answered, bounds=bounds, universe=universe)
    tables = Evaluation.of([make(measure, scores) for measure, scores in of_measures])
    return replace(tables, longest=all_topics.longest)


class _Scores(NamedTuple):
    """The scores of one measure, systems × topics."""

    value: Floats
    lower: Floats
    upper: Floats
    tail: Floats


class _BlockScores(NamedTuple):
    """The scores of some topics, by measure, and which lists hold a document."""

    answered: Booleans
    longest: Integers
    scores: list[_Scores]


class _AllTopics:
    """The scores of all topics, filled in block by block, so that they are in memory but once."""

    answered: Booleans
    longest: Integers
    scores: tuple[_Scores, ...]

    def __init__(self, measures: int, topics: int) -> None:
        self._measures, self._topics = measures, topics

    def put(self, topics: slice, block: _BlockScores) -> None:
        """Put the scores of some topics in their place."""
        if topics.start == 0:  # the first block tells how many runs there are
            self._make_room(len(block.answered))
        self.answered[:, topics] = block.answered
        np.maximum(self.longest, block.longest, out=self.longest)
        for whole, part in zip(self.scores, block.scores, strict=True):
            for into, values in zip(whole, part, strict=True):
                into[:, topics] = values

    def _make_room(self, runs: int) -> None:
        shape = runs, self._topics
        self.answered = np.empty(shape, np.bool_)
        self.longest = np.zeros(runs, np.int64)
        of_each = range(len(_Scores._fields))
        self.scores = tuple(
            _Scores(*(np.empty(shape) for _ in of_each)) for _ in range(self._measures)
        )


def _scored(grades: Graded, work: Callable[[Block], _BlockScores]) -> Iterator[_BlockScores]:
    """Score the blocks, several at the same time where there are several, in their order."""
    if len(grades.slices) < 2:
        return map(work, grades.blocks)
    return in_threads(work, grades.blocks, ahead=1)


def _score_block(
    block: Block, measures: Sequence[Measure], bounds: str, universe: Universe
) -> _BlockScores:
    # A copy: what the measures find and share goes when the block is done.
    once = replace(block)
    scores = [_score_measure(once, measure, bounds, universe) for measure in measures]
    return _BlockScores(_answered(block), block.lengths.max(axis=1, initial=0), scores)


def _score_measure(block: Block, measure: Measure, bounds: str, universe: Universe) -> _Scores:
    value = measure.score_block(block)
    ends = _bounds(block, measure, bounds, universe)
    return _Scores(value, *ends, measure.tail_block(block))


def _bounds(block: Block, measure: Measure, kind: str, universe: Universe) -> Bounds:
    if kind == "exact":
        return measure.range_block(block, universe)
    if kind == "naive":
        return measure.naive_range_block(block)
    return no_bounds(block.shape)


def _answered(block: Block) -> Booleans:
    """Return which lists hold a document, systems × topics."""
    return np.asarray((block.codes[:, :, :1] != BEYOND).any(axis=2))


def _table(
    grades: Graded,
    measure: Measure,
    scores: _Scores,
    *,
    answered: Booleans,
    bounds: str,
    universe: Universe,
) -> ScoreTable:
    exact, sampled = bounds == "exact", isinstance(measure, SampledMeasure)
    options = range_options(grades, universe) if exact else {}
    if bounds == "naive":
        options = {"bounds": bounds}
    return ScoreTable(
        measure=measure,
        systems=grades.systems,
        topics=grades.topics,
        value=scores.value,
        lower=scores.lower,
        upper=scores.upper,
        answered=answered,
        undefined=measure.undefined,
        limits=measure.limits(grades.scale),
        tail=scores.tail,
        scope=RangeScope.of(measure, grades, universe, scores.tail) if exact else NO_SCOPE,
        sampling=sampling_errors(grades, measure) if sampled else None,
        naive=bounds == "naive",
        provenance=grades.provenance.with_options(**options),
    )


def score_subtopics(
    judgments: SubtopicJudgments, runs: Runs, measures: Iterable[Measure | str]
) -> Evaluation:
    """Score every run on every topic by measures of diversity.

    Examples
    --------
    >>> qrels = SubtopicJudgments.from_records([("1", "a", "d1", 1), ("1", "b", "d2", 1)])
    >>> runs = Runs.from_rankings({"x": {"1": ["d1", "u", "d2"]}})
    >>> score_subtopics(qrels, runs, ["StRecall@2"])["StRecall@2"].value.tolist()
    [[0.5]]
    """
    wanted = [_of_subtopics(measure) for measure in measures]
    topics = counting(judgments.topics, "topics met with their subtopics")
    lists = [subtopic_lists(judgments, runs, topic) for topic in topics]
    answered = np.stack([(topic.lengths > 0) for topic in lists], axis=1)
    made = Provenance(
        judgments=judgments.source,
        runs=runs.sources,
        tie_rule=runs.tie_rule,
        notices=(*runs.notices, *_without_subtopics(judgments)),
    )
    return Evaluation.of(
        ScoreTable(
            measure=measure,
            systems=runs.systems,
            topics=judgments.topics,
            value=(value := _values(measure, lists)),
            lower=np.full_like(value, np.nan),
            upper=np.full_like(value, np.nan),
            answered=answered,
            undefined=measure.undefined,
            limits=(0.0, 1.0),
            scope=RangeScope(reason=f"{measure} has none: {measure.no_range}"),
            provenance=made,
        )
        for measure in wanted
    )


def _values(measure: SubtopicMeasure, lists: Sequence[SubtopicLists]) -> Floats:
    topics = counting(lists, f"topics scored by {measure}")
    return np.stack([measure.score_topic(topic) for topic in topics], axis=1)


def _without_subtopics(judgments: SubtopicJudgments) -> tuple[Notice, ...]:
    """Say where no topic has two subtopics: perhaps these are judgments of whole topics."""
    if any(len(judgments.subtopics(topic)) > 1 for topic in judgments.topics):
        return ()
    what = "topics that have one subtopic each; judgments of whole topics are for evaluate"
    return (Notice(what, len(judgments.topics)),)


def _of_subtopics(measure: Measure | str) -> SubtopicMeasure:
    parsed = parse_measure(measure)
    if isinstance(parsed, SubtopicMeasure):
        return parsed
    raise MeasureError(
        f"{parsed!r}: it is no measure of diversity, and does not look at subtopics. Hint: name "
        "one that does, such as alpha_nDCG@10, or use evaluate with judgments of whole topics."
    )


MEANS = {
    "arithmetic": "the mean of the scores",
    "geometric": "the geometric mean, by the logarithms of the scores (U18 §2.1)",
}
"""Over topics, what of a measure is compared."""


def measure_for_mean(measure: Measure | str, mean: str) -> Measure:
    """Return the measure whose arithmetic mean stands for the mean that is wanted.

    Examples
    --------
    >>> measure_for_mean("AP", "arithmetic"), measure_for_mean("AP", "geometric")
    (AP, log AP)
    """
    require_choice("mean", mean, MEANS)
    parsed = parse_measure(measure)
    return Logarithm(of=parsed) if mean == "geometric" else parsed


@recorded
def log_scores(table: ScoreTable) -> ScoreTable:
    """Return the logarithms of scores, whose means are those of the geometric means.

    Parameters
    ----------
    table : ScoreTable
        Scores of which none is below 0.

    Returns
    -------
    ScoreTable
        The logarithm of each score, to which 0.00001 is added first, and of its range.

    Examples
    --------
    >>> table = ScoreTable.from_matrix([[0.1, 0.4]], systems=["a"], topics=["1", "2"],
    ...                                measure="AP")
    >>> float(np.exp(log_scores(table).means()[0]).round(4)), table.aggregate("gm").round(4)
    (0.2, array([0.2]))
    """
    if np.nanmin(table.value, initial=0.0) < 0:
        raise OptionError(
            f"mean: a geometric mean takes scores from 0 up; {table.measure} has "
            f"{np.nanmin(table.value):.4g}. Hint: use the arithmetic mean."
        )
    measure = Logarithm(of=table.measure)
    low, high = measure.of_scores(np.maximum(table.limits, 0.0)).tolist()
    return replace(
        table,
        measure=measure,
        value=measure.of_scores(table.value),
        lower=measure.of_scores(table.lower),
        upper=measure.of_scores(table.upper),
        limits=(low, high),
        of_means=(),
        tail=None,
        sampling=None,
    )


class OfOneMeasure(Protocol):
    """A finding about one measure."""

    @property
    def measure(self) -> Measure:
        """The measure that it is about."""

    @property
    def provenance(self) -> Provenance:
        """The inputs, options and seed that it came from."""

    def columns(self) -> Columns:
        """Return the numbers as named columns."""

    def answer(self) -> str:
        """Return the sentence that stands above all else."""

    def sentences(self) -> tuple[str, ...]:
        """Say what was found."""

    def tables(self) -> tuple[Table, ...]:
        """Return the numbers as tables."""


Part = TypeVar("Part", bound=OfOneMeasure)


@finding
class ByMeasure(Finding, Generic[Part]):
    """Findings of one kind, one for each measure.

    Iterating gives the findings in their order, and ``found["AP"]`` the one of a measure.

    Attributes
    ----------
    parts : tuple of findings

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=20, topics=30, depth=50, rng=3)
    >>> tables = pw.evaluate(made.judgments, made.runs, ["AP", "RR"], bounds="none").values()
    >>> rates = ByMeasure.of(pw.studies.swap_rates(table, draws=200) for table in tables)
    >>> [round(part.rate, 3) for part in rates], round(rates["RR"].rate, 3)
    ([0.128, 0.326], 0.326)
    """

    parts: tuple[Part, ...]
    recorded_parts: ClassVar[tuple[str, ...]] = ("parts",)

    @classmethod
    def of(cls, parts: Iterable[Part]) -> "ByMeasure[Part]":
        """Join findings that were made alike, with the provenance of the first."""
        joined = tuple(parts)
        return cls(joined, provenance=joined[0].provenance if joined else Provenance())

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, measure: Measure | str) -> Part:
        wanted = measure_named(measure)
        for part in self.parts:
            if part.measure == wanted or str(part.measure) == measure:
                return part
        raise MissingMeasureError(measure, (part.measure for part in self.parts))

    def columns(self) -> Columns:
        """Return the rows of every part, one part below the other."""
        return stack_columns([part.columns() for part in self.parts]) if self.parts else {}

    def answer(self) -> str:
        """Return that of a single part; of several, the first sentence."""
        return self.parts[0].answer() if len(self.parts) == 1 else super().answer()

    def headline(self) -> tuple[str, ...]:
        """Say what is left of findings by all measures together, where they can say so."""
        first, *others = self.parts or (None,)
        together = getattr(first, "over_measures", None)
        return together(others) if together and others else ()

    def sentences(self) -> tuple[str, ...]:
        """Say what all measures together leave, then what was found, measure by measure."""
        if matrix := self._matrix():
            return (*self.headline(), *matrix[1])
        by_measure = (sentence for part in self.parts for sentence in part.sentences())
        return (*self.headline(), *by_measure)

    @property
    def is_matrix(self) -> bool:
        """Whether one table shows what all measures say, with a row for each."""
        return self._matrix() is not None

    def _matrix(self) -> tuple[Table, tuple[str, ...]] | None:
        first, *others = self.parts or (None,)
        rows = getattr(first, "rows_by_measure", None)
        return rows(others) if rows and others else None

    def tables(self) -> tuple[Table, ...]:
        """Return one table with a row for each measure where that is enough, or those of each."""
        if matrix := self._matrix():
            return (matrix[0],)
        return tuple(table for part in self.parts for table in part.tables())
