"""Runs scored against judgments, from files or from memory."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._matching import any_is_run, grades_differ_like_scores, require_order
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import Universe
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.families._judged_only import JudgedShare
from poolwise.provenance._recorded import recorded
from poolwise.scores._scoring import Evaluation, score, score_all
from poolwise.workflows.by_topic.file_grading import graded_runs
from poolwise.workflows.inputs import DEFAULT_MEASURES, Topics, as_evidence
from poolwise.workflows.measure_lists import several_measures
from poolwise.workflows.named_files import existing_files

if TYPE_CHECKING:
    from poolwise.scores.treatments._treatments import Treatment

__all__ = ["RESIDUALS", "evaluate"]

RESIDUALS = {"matched": "the residual of the RBP that orders the runs most like the measure"}
"""Residuals for measures that have none of their own (U18 §3.3)."""

_JUDGED = JudgedShare(cutoff=10)
"""What stands beside the scores in a leaderboard."""


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
    residual: str | None = None,
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
    residual : {"matched"}, optional
        A third uncertainty: see ``RESIDUALS``.
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
    if treatment is None and residual is None:
        ranged = bounds == "exact"
        with graded_runs(
            qrels, runs, topics=topics, counts_unknown=ranged, stream=stream, reading=reading
        ) as graded:
            *scores, judged = score_all(graded, [*wanted, _JUDGED], progress=progress, **how).scores
        return Evaluation.of(scores, [judged]).with_averages(averages)
    _refuse_streaming(stream)
    evidence = as_evidence(qrels, runs, topics=topics, reading=reading)
    found = _treated(evidence, wanted, how, treatment).with_averages(averages)
    return found if residual is None else _with_residuals(found, evidence, residual)


def _may_be_swapped(judgments: Judgments, runs: Any) -> bool:
    """Say whether judgments look like a run, and no file of the runs is one for certain."""
    if not grades_differ_like_scores(judgments):
        return False
    sources = runs if isinstance(runs, list | tuple) else [runs]
    return not any_is_run(existing_files(s for s in sources if isinstance(s, str | Path)))


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
) -> Evaluation:
    # late: a plain evaluation needs neither treatments nor studies
    from poolwise.scores.treatments._estimates import estimate  # noqa: PLC0415

    judged = [score(evidence, _JUDGED)]
    if treatment is None:
        return Evaluation.of(score_all(evidence, measures, **how).scores, judged)
    tables = [estimate(evidence, measure, treatment=treatment) for measure in measures]
    return Evaluation.of(tables, judged)


def _with_residuals(found: Evaluation, evidence: Evidence, residual: str) -> Evaluation:
    """Match RBP with each measure, and put its residual beside the scores."""
    from poolwise.studies._persistence import match_persistence  # noqa: PLC0415 -- as above
    from poolwise.studies._residuals import matched_residual  # noqa: PLC0415 -- as above

    require_choice("residual", residual, RESIDUALS)
    matches = [match_persistence(evidence, table.measure) for table in found.scores]
    residuals = tuple(matched_residual(evidence, match) for match in matches)
    remarks = tuple(sentence for match in matches for sentence in match.sentences())
    return replace(found, residuals=residuals, remarks=remarks)
