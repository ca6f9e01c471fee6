"""Runs scored against judgments, from files or from memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import (
    Reading,
    any_is_run,
    grades_differ_like_scores,
    require_order,
)
from poolwise.collection._runs import Runs
from poolwise.collection._subtopics import SubtopicJudgments, read_subtopic_judgments
from poolwise.collection.files._inputs import scan_grades
from poolwise.collection.files._native import JudgedMarks, is_native
from poolwise.collection.files._sources import files_beside, find_files, is_stored
from poolwise.collection.formats._parquet import PARQUET
from poolwise.collection.formats._rows import is_path, type_name
from poolwise.errors import InputError, OptionError, shortened
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import BEYOND, Graded, Grades
from poolwise.evidence._meeting import (
    GradeStream,
    align,
    choose_topics,
    codes_to_scan,
    known_rule,
    scanned_grades,
)
from poolwise.evidence._ungraded import Universe
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._judged_only import judged_share_of
from poolwise.measures.sampled._sampled_measure import SampledMeasure
from poolwise.provenance._provenance import Notice, TopicRule, add_notices
from poolwise.provenance._recorded import recorded
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import Evaluation, score_all, score_subtopics
from poolwise.words import named
from poolwise.workflows._inputs import (
    DEFAULT_MEASURES,
    Topics,
    as_topics,
    carded_evidence,
    several_measures,
)
from poolwise.workflows._named_files import existing_files

if TYPE_CHECKING:
    from poolwise.collection.formats._lines import Lines
    from poolwise.scores.cards._card import CollectionCard
    from poolwise.scores.treatments._treatments import Treatment

__all__ = [
    "STREAM_FROM",
    "TABLES_FROM",
    "diversity",
    "evaluate",
    "grade_runs",
    "graded_runs",
    "score_runs",
]

STREAM_FROM = 1 << 30
"""Bytes of run files, as they lie on disk, from which on they are read by blocks of topics."""
TABLES_FROM = 1_000_000
"""Lines of Parquet from which on it is read in this way, too: its bytes tell little of them."""


@contextmanager
def graded_runs(
    judgments: Judgments,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    *,
    topics: Topics = "judged",
    counts_unknown: bool = True,
    stream: bool | None = None,
    reading: Reading = Reading(),
) -> Iterator[Graded]:
    """Yield runs met with judgments: all blocks, or one after another while they are read.

    Parameters
    ----------
    stream
        Whether files are read by blocks of topics, so that memory is bounded by a block; by
        default from ``STREAM_FROM`` bytes on, where the lines of each topic stand together.

    The other parameters are those of :func:`grade_runs`.
    """
    rule = known_rule(as_topics(topics), judgments)
    files = _files(_sources(runs)) if stream or stream is None else []
    _require_rows_unneeded(judgments, stream=bool(stream))
    if tables := _tables_elsewhere(judgments, runs, files, reading.max_ratio, stream=stream):
        from poolwise.collection.files._line_stream import LineStream  # noqa: PLC0415, late: as below

        yield GradeStream(
            judgments,
            LineStream(tables, reading.of_runs()),
            None,
            counts_unknown=counts_unknown,
            rule=rule,
            ties=reading.ties,
            duplicates=reading.duplicates,
        )
        return
    # How a document was sampled is known by its row, which no stream keeps.
    large = _size(files) >= STREAM_FROM and not judgments.is_sample
    if files and is_native() and (stream or large):
        from poolwise.collection.files._run_stream import open_stream  # noqa: PLC0415, late: as above

        with open_stream(files, notices=_beside(_sources(runs)), **reading.of_runs()) as opened:
            if opened is not None:
                marks = codes_to_scan(judgments, counts_unknown=counts_unknown)
                yield GradeStream(
                    judgments,
                    opened,
                    marks,
                    counts_unknown=counts_unknown,
                    rule=rule,
                    ties=reading.ties,
                    duplicates=reading.duplicates,
                )
                return
    if stream:
        raise _cannot_stream(files)
    yield grade_runs(judgments, runs, topics=rule, counts_unknown=counts_unknown, reading=reading)


MANY_MACHINES = ("pyspark", "ray")
"""Packages whose tables are scored where they lie."""


def _lies_elsewhere(judgments: Judgments, runs: Any, *, stream: bool | None) -> bool:
    """Say whether runs lie in an engine of many machines, which scores them topic by topic."""
    # How a document was sampled is known by its row, which no stream keeps.
    is_kept = stream is False or judgments.is_sample
    return type_name(runs)[0] in MANY_MACHINES and not is_kept


def _tables_elsewhere(
    judgments: Judgments,
    runs: Any,
    files: Sequence[str],
    max_ratio: float,
    *,
    stream: bool | None,
) -> "list[Lines]":
    """Return the tables of which blocks of topics are fetched; none where runs are read whole."""
    # How a document was sampled is known by its row, which no stream keeps.
    if stream is False or judgments.is_sample or isinstance(runs, Runs | Mapping):
        return []
    if files and not files[0].endswith(PARQUET):
        return []
    # late: a run in a file, or in memory, needs none of it
    from poolwise.collection.files._line_stream import line_tables  # noqa: PLC0415
    from poolwise.collection.formats._lines import count_parquet_lines  # noqa: PLC0415

    as_tables = bool(stream) or count_parquet_lines(files) >= TABLES_FROM
    return line_tables(_sources(runs), max_ratio, files=as_tables)


def _size(paths: Sequence[str]) -> int:
    """Return how many bytes the files have together; what comes through a pipe has none."""
    return sum(Path(path).stat().st_size for path in paths if is_stored(path))


def _require_rows_unneeded(judgments: Judgments, *, stream: bool) -> None:
    if stream and judgments.is_sample:
        raise OptionError(
            "stream: sampled judgments need whole runs. Hint: leave the option out (--stream)."
        )


def _cannot_stream(paths: Sequence[str]) -> OptionError | InputError:
    if not paths:
        return OptionError(
            "stream: only files are read by topics. Hint: name files, or leave the option out."
        )
    if not is_native():
        return OptionError(
            "stream: files are read by topics by the native library, which was not built here. "
            "Hint: leave the option out."
        )
    return InputError(
        paths[0] if len(paths) == 1 else f"{paths[0]} and others",
        "files that are read by topics must be TREC runs with the lines of each topic together",
        remedy="sort the lines by topic, or leave out stream (--stream)",
    )


def grade_runs(
    judgments: Judgments,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    *,
    topics: Topics = "judged",
    counts_unknown: bool = True,
    reading: Reading = Reading(),
) -> Grades:
    """Meet runs with judgments, without their documents where that is enough.

    Parameters
    ----------
    judgments, runs
        What was judged, and what was retrieved: :class:`~poolwise.Runs`, or whatever
        :func:`~poolwise.read_runs` reads.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    counts_unknown
        Whether to count the unjudged documents of all runs, which ranges over them need.
    """
    rule = known_rule(as_topics(topics), judgments)
    marks = codes_to_scan(judgments, counts_unknown=counts_unknown)
    # How a document was sampled is known by its row, which marks do not keep.
    sources = [] if judgments.is_sample else _sources(runs)
    graded = _grade_files(judgments, marks, sources, rule, reading)
    if graded is not None:
        return graded
    return align(judgments, reading.runs(runs), topics=rule)


def _sources(runs: Any) -> list[Any]:
    return list(runs) if isinstance(runs, list | tuple) else [runs]


def _files(sources: Sequence[Any]) -> list[str]:
    """Return the files that runs are to be read from; none where something else is among them."""
    if not all(map(is_path, sources)):
        return []
    return [path for source in sources for path in find_files(source)]


def _beside(sources: Sequence[Any]) -> tuple[Notice, ...]:
    """Count what folders hold beside the files that are read."""
    return add_notices(notice for source in sources for notice in files_beside(source))


def _grade_files(
    judgments: Judgments,
    marks: JudgedMarks | None,
    sources: Sequence[Any],
    rule: TopicRule,
    reading: Reading,
) -> Grades | None:
    """Grade files as they are read; None where their documents have to be kept to do it."""
    paths = _files(sources)
    if marks is None or not paths:
        return None
    choose = partial(choose_topics, judgments.topics, rule=rule)
    how = reading.of_runs()
    marked = scan_grades(paths, marks, choose, beyond=BEYOND, notices=_beside(sources), **how)
    return None if marked is None else scanned_grades(judgments, marked, topics=rule)


@recorded
def evaluate(
    judgments: Judgments | str | Path | Any,
    runs: Runs | str | Path | Sequence[str | Path] | Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    topics: Topics = "judged",
    bounds: str = "exact",
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    treatment: "str | Treatment | None" = None,
    card: Any = None,
    residual: str | float | None = None,
    averages: str | Iterable[str] = (),
    stream: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> Evaluation:
    """Score runs against judgments, from files or from memory.

    Of run files nothing is kept but the grades of their documents, in blocks of topics, unless a
    treatment or a residual asks for more.

    Parameters
    ----------
    bounds : {"exact", "naive", "none"}
        Which range to give for the unjudged documents: see ``BOUNDS``.
    residual : {"matched"}, or float, optional
        A third uncertainty: the residual of RBP with this persistence, such as 0.98, or with the
        one that orders the runs most like the measure, where there are 16 runs or more.
    averages : {"geometric", "harmonic", "median"}, or several of them
        Averages over topics that stand beside the mean, each with its range over judgments.
    stream
        Whether run files are read by blocks of topics, so that memory is bounded by a block,
        however large the files are. By default from one gigabyte on, where each file has the
        lines of a topic together. The scores are the same.

    Returns
    -------
    Evaluation
        One table per measure, which are found by the measure or its name: scores by run and topic,
        with lower and upper bound.

    Examples
    --------
    >>> result = evaluate(Judgments.from_dict({"1": {"a": 1, "b": 0}}),
    ...                   Runs.from_rankings({"bm25": {"1": ["b", "x", "a"]}}), ["RR", "P@2"])
    >>> result["P@2"].upper.tolist()
    [[0.5]]
    """
    wanted = [parse_measure(m) for m in several_measures(measures)]
    qrels = reading.judgments(judgments, grades=grades)
    if qrels is not judgments and not stream and _may_be_swapped(qrels, runs):
        runs = reading.runs(runs)  # whole, to see whether the two are in order
        require_order(qrels, runs)
    how: dict[str, Any] = {"bounds": bounds, "universe": Universe.of(universe, universe_depth)}
    _require_treatment(treatment, card)
    if treatment is None and residual is None:
        # Only exact ranges ask for the unknown documents of all runs, which takes time to count.
        ranged = bounds == "exact"

        def scored(every: list[Measure]) -> Evaluation:
            if _lies_elsewhere(qrels, runs, stream=stream):
                # late: few runs lie in such an engine
                from poolwise.workflows._engines import scored_by_engine  # noqa: PLC0415

                return scored_by_engine(qrels, runs, every, topics=topics, reading=reading, how=how)
            with graded_runs(
                qrels, runs, topics=topics, counts_unknown=ranged, stream=stream, reading=reading
            ) as graded:
                return score_all(graded, every, progress=progress, **how)

        return _remarked(_with_judged(wanted, scored).with_averages(averages), qrels)
    _refuse_streaming(stream)
    evidence, opened = carded_evidence(qrels, runs, card, topics=topics, reading=reading)
    evaluation = _treated(evidence, wanted, how, treatment, opened).with_averages(averages)
    return evaluation if residual is None else _with_residuals(evaluation, evidence, residual)


def _remarked(evaluation: Evaluation, judgments: Judgments) -> Evaluation:
    """Say of judgments that are a sample which measures take them for all there are."""
    plain = [str(t.measure) for t in evaluation.scores if not isinstance(t.measure, SampledMeasure)]
    if not judgments.is_sample or not plain:
        return evaluation
    estimates = (
        "statAP and HT" if judgments.probability is not None else "xinfAP, infNDCG and statAP"
    )
    remark = (
        f"The judgments are a sample: by {named(plain)}, what was not drawn counts as unjudged "
        f"(see the range). {estimates} estimate from the sample."
    )
    return replace(evaluation, remarks=(*evaluation.remarks, remark))


def _may_be_swapped(judgments: Judgments, runs: Any) -> bool:
    """Say whether judgments look like a run, and no file of the runs is one for certain."""
    if not grades_differ_like_scores(judgments):
        return False
    sources = runs if isinstance(runs, list | tuple) else [runs]
    return not any_is_run(existing_files(s for s in sources if isinstance(s, str | Path)))


def _require_treatment(treatment: object, card: object) -> None:
    if card is not None and treatment is None:
        raise OptionError(
            "card: plain scores need none; it is for a treatment of unjudged documents. Hint: use "
            "the treatment 'model' (--treatment model), or leave the card out."
        )


def _refuse_streaming(stream: bool | None) -> None:  # noqa: FBT001  (an option, handed on)
    if stream:
        raise OptionError(
            "stream: a treatment or a residual needs all documents at the same time. Hint: leave "
            "the option out."
        )


def _treated(
    evidence: Evidence,
    measures: list[Measure],
    how: dict[str, Any],
    treatment: "str | Treatment | None",
    card: "CollectionCard | None",
) -> Evaluation:
    # late: a plain evaluation needs neither treatments nor studies
    from poolwise.scores.treatments._estimates import (  # noqa: PLC0415
        estimate,
        find_treatment,
        informed_by_card,
        places_on_card,
    )

    if not (treatment is None or isinstance(treatment, str) or hasattr(treatment, "table")):
        raise OptionError(
            f"treatment: must be a treatment or its name; got {shortened(repr(treatment))}. Hint: "
            "use 'condensed'."
        )
    # The share of judged documents is the same whatever the treatment makes of the others.
    plain = _with_judged(measures, lambda every: score_all(evidence, every, **how))
    if treatment is None:
        return plain
    chosen = find_treatment(treatment) if isinstance(treatment, str) else treatment
    if card:
        chosen = informed_by_card(chosen, card, evidence)
    tables = [estimate(evidence, measure, treatment=chosen) for measure in measures]
    if card:
        named = [{chosen.name: table} for table in tables]
        both = zip(measures, named, strict=True)
        places = [places_on_card(card, measure, by_name, evidence) for measure, by_name in both]
        tables = [_also_said(*pair) for pair in zip(tables, places, strict=True)]
    return replace(Evaluation.of(tables, plain.beside), longest=plain.longest)


def _also_said(table: ScoreTable, places: tuple[str, ...]) -> ScoreTable:
    """Say below the scores where runs stand, as their ranges have it; without ranges, nothing."""
    of_means = (
        replace(uncertainty, meaning=(*uncertainty.meaning, *places))
        for uncertainty in table.of_means[:1]
    )
    return replace(table, of_means=(*of_means, *table.of_means[1:]))


def _with_judged(
    measures: list[Measure], scored: Callable[[list[Measure]], Evaluation]
) -> Evaluation:
    """Score by measures, with the share that is judged at the depth of each beside it."""
    of_each = [judged_share_of(measure) for measure in measures]
    shares = list(dict.fromkeys(of_each))
    evaluation = scored([*measures, *shares])
    judged = dict(zip(shares, evaluation.scores[len(measures) :], strict=True))
    scores = Evaluation.of(evaluation.scores[: len(measures)], [judged[share] for share in of_each])
    return replace(scores, longest=evaluation.longest)


def _with_residuals(
    evaluation: Evaluation, evidence: Evidence, residual: str | float
) -> Evaluation:
    """Put the residual of an RBP beside the scores of each measure."""
    from poolwise.studies._residuals import (  # noqa: PLC0415 -- as above
        choose_residual,
        residual_beside,
    )

    chosen = {t.measure: choose_residual(evidence, t.measure, residual) for t in evaluation.scores}
    residuals = tuple(residual_beside(evidence, m, choice.rbp) for m, choice in chosen.items())
    remarks = tuple(remark for choice in chosen.values() for remark in choice.remarks)
    return replace(evaluation, residuals=residuals, remarks=remarks)


@recorded
def diversity(
    judgments: SubtopicJudgments | str | Path | Any,
    runs: Runs | str | Path | Any,
    measures: Measure | str | Iterable[Measure | str] = ("alpha_nDCG@10", "ERR_IA@20"),
    *,
    reading: Reading = Reading(),
) -> Evaluation:
    """Score runs by measures of diversity, against judgments by subtopic.

    The tables are like those of :func:`~poolwise.evaluate`, so that runs can be compared by them
    (:func:`~poolwise.compare_scores`); they have no range over unjudged documents.

    Parameters
    ----------
    judgments
        What :func:`~poolwise.collection.read_subtopic_judgments` reads: the qrels of a diversity
        task, whose second column is the subtopic.
    measures
        Measures of diversity, or their names: alpha_nDCG, ERR_IA, StRecall and their kin.

    Returns
    -------
    Evaluation
        One table of scores per measure.

    Examples
    --------
    >>> qrels = [("1", "a", "d1", 1), ("1", "b", "d2", 1)]
    >>> result = diversity(qrels, {"x": {"1": ["d1", "u", "d2"]}}, "alpha_nDCG@3")
    >>> result["alpha_nDCG@3"].value.round(4).tolist()
    [[0.9197]]
    """
    graded = judgments
    if not isinstance(graded, SubtopicJudgments):
        graded = read_subtopic_judgments(graded)
    return score_subtopics(graded, reading.runs(runs), several_measures(measures))


@recorded
def score_runs(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    topics: Topics = "judged",
    bounds: str = "none",
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> tuple[ScoreTable, ...]:
    """Return a score table for each measure. The options are those of ``evaluate``.

    Parameters
    ----------
    bounds : {"exact", "naive", "none"}
        Which range to give for the unjudged documents.

    Returns
    -------
    tuple of ScoreTable
        The scores by run and topic, in the order of the measures.

    Examples
    --------
    >>> (table,) = score_runs({"1": {"a": 1}}, {"bm25": {"1": {"b": 2.0, "a": 1.0}}}, ["RR"])
    >>> table.systems, table.value.tolist()
    (('bm25',), [[0.5]])
    """
    return evaluate(
        judgments, runs, measures, topics=topics, bounds=bounds, progress=progress, reading=reading
    ).scores
