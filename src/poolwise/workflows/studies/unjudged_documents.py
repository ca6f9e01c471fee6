"""What do missing judgments change? Studies of what unjudged documents could do to scores."""

from collections.abc import Iterable, Sequence
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.evidence._ungraded import Universe
from poolwise.findings.comparison._verdict import Verdict, verdict
from poolwise.measures._measure import Measure
from poolwise.scores._by_measure import ByMeasure
from poolwise.scores.treatments._drawn_scores import DrawnScores
from poolwise.scores.treatments._treatments import draw_scores
from poolwise.studies.estimates.unjudged_bands import UnjudgedBands, estimate_by_unjudged
from poolwise.studies.persistence.residual_spread import RBPUncertainty, rbp_uncertainty
from poolwise.words import counted, named
from poolwise.workflows.inputs import Topics, as_collection, as_evidence

__all__ = ["study_draws", "study_uncertainty", "study_unjudged", "study_verdict"]


def study_uncertainty(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    reading: Reading = Reading(),
    **options: Any,
) -> RBPUncertainty:
    """Say how large RBP and its residual are at several persistences (U18 fig. 1).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.rbp_uncertainty`.

    Returns
    -------
    RBPUncertainty
        The scores and residuals of all runs on all topics.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=5, depth=50, rng=3)
    >>> found = study_uncertainty(made.judgments, made.runs, persistences=[0.5, 0.95])
    >>> shallow, deep = found.columns()["residual_mean"]
    >>> shallow < deep
    True
    """
    return rbp_uncertainty(as_evidence(judgments, runs, topics=topics, reading=reading), **options)


def study_unjudged(
    judgments: Any,
    runs: Any,
    measures: Iterable[Measure | str],
    *,
    complete: Any = None,
    reading: Reading = Reading(),
    **options: Any,
) -> ByMeasure[UnjudgedBands]:
    """Estimate scores on topics with few, some and many unjudged documents.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures
        Measures or their names.
    complete
        Judgments of all documents, to compare with.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`~poolwise.studies.estimate_by_unjudged`.

    Returns
    -------
    ByMeasure of UnjudgedBands
        Means by run, share of unjudged documents and treatment, for each measure.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=6, topics=20, depth=30, rng=3)
    >>> found = study_unjudged(made.judgments, made.runs, ["P@5"], treatments="condensed")
    >>> found["P@5"].topics.shape
    (6, 4)
    """
    both = as_collection(judgments, runs, reading=reading)
    truth = None if complete is None else reading.judgments(complete)
    return ByMeasure.of(
        [estimate_by_unjudged(*both, measure, complete=truth, **options) for measure in measures]
    )


def study_draws(
    judgments: Any,
    runs: Any,
    measure: str,
    *,
    run: str,
    topic: str,
    reading: Reading = Reading(),
    **options: Any,
) -> DrawnScores:
    """Show how often drawn grades of unjudged documents give each score of a run on a topic.

    B23, figure 1.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measure : str
        The measure to draw, by name.
    run, topic : str
        Whose score is shown.
    reading : Reading
        How files are read.
    options
        As for :func:`~poolwise.scores.bootstrap`: prior, draws and seed.

    Returns
    -------
    DrawnScores
        Each score that came out, and the share of the draws that gave it.

    Examples
    --------
    >>> qrels, lists = {"1": {"a": 1, "b": 0, "c": 1}}, {"s": {"1": list("abuc")}}
    >>> found = study_draws(qrels, lists, "P@3", run="s", topic="1", draws=100)
    >>> found.values.round(2).tolist()  # the third document is unjudged
    [0.33, 0.67]
    """
    evidence = as_evidence(judgments, runs, reading=reading)
    return draw_scores(evidence, measure, run=run, topic=topic, **options)


def study_verdict(
    judgments: Any,
    runs: Any,
    measure: Measure | str,
    *,
    a: str | None = None,
    b: str | None = None,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    topics: Topics = "judged",
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> Verdict:
    """Say whether unjudged documents could reverse the order of two runs, and what settles it.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measure
        What to score by.
    a, b
        Names of the two runs; by default the two that there are.
    universe, universe_depth
        The unjudged documents that get grades, as for :func:`~poolwise.evaluate`.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    grades
        The grades that a document can have; by default 0 and the positive ones of the judgments.
    reading : Reading
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    Verdict
        The difference with its range, whether it is settled, and which documents would settle it.

    Examples
    --------
    >>> runs = {"a": {"1": {"x": 2.0, "u": 1.0}}, "b": {"1": {"w": 2.0, "x": 1.0}}}
    >>> found = study_verdict({"1": {"x": 1}}, runs, "DCG@2")
    >>> found.settled, [one.document for one in found.to_judge()]
    (False, ['w'])
    """
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, reading=reading)
    first, second = _pair(evidence.systems, a, b)
    return verdict(evidence, measure, first, second, universe=Universe.of(universe, universe_depth))


def _pair(systems: Sequence[str], a: str | None, b: str | None) -> tuple[str, str]:
    """Return the names of two runs; those that there are where none is named."""
    if a is not None and b is not None:
        return a, b
    if a is None and b is None and len(systems) == 2:
        return systems[0], systems[1]
    raise OptionError(
        f"a, b: two runs must be named; there are {counted(len(systems), 'run')}, such as "
        f"{named(systems, most=3)}. Hint: name both, or give two runs."
    )
