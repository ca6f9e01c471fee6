"""What pools hold, what their documents gain, and which judgments would settle an order."""

from collections.abc import Iterable, Sequence
from typing import Any

from poolwise.collection.pools.composition import (
    BANDS,
    MultiplicityRelevance,
    relevance_by_multiplicity,
)
from poolwise.collection.pools.nominations import nominate
from poolwise.errors import OptionError, require_choice
from poolwise.evidence.unknowns.gain_models import GainFit, fit_gains
from poolwise.evidence.unknowns.universe import Universe
from poolwise.findings.comparison.order_verdicts import Verdict, verdict
from poolwise.measures.gains import GAINS, scaled_gains
from poolwise.measures.measure import Measure
from poolwise.printout.words import counted, named
from poolwise.workflows.inputs import Topics, as_evidence, as_judgments, as_runs

__all__ = ["study_gains", "study_verdict", "study_votes"]


def study_votes(
    judgments: Any,
    runs: Any,
    *,
    depth: int = 10,
    pooled: Iterable[str] | None = None,
    rel: float = 1,
    bands: Sequence[int] = BANDS,
    reading: dict[str, Any] | None = None,
) -> MultiplicityRelevance:
    """Say how often a judged document is relevant, by how many runs have it in their first ranks.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    depth
        A run votes for what it has among its first ``depth``.
    pooled
        The runs that vote; by default all.
    rel
        Smallest grade of a relevant document.
    bands
        The smallest number of votes of each band.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    MultiplicityRelevance
        The bands of U18 table 4, each with its documents and the share of relevant ones.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "dense": {"1": {"c": 2.0, "a": 1.0}}}
    >>> found = study_votes({"1": {"a": 1, "b": 0, "c": 2}}, runs, depth=2, bands=(1, 2))
    >>> [(band.label, band.documents, band.rate) for band in found]
    [('1', 2, 0.5), ('2+', 1, 1.0)]
    """
    how = reading or {}
    found = nominate(as_judgments(judgments, **how), as_runs(runs, **how))
    return relevance_by_multiplicity(found, depth, systems=pooled, rel=rel, bands=bands)


def study_gains(
    judgments: Any,
    runs: Any,
    *,
    model: str = "weibull",
    gain: str = "binary",
    rel: float = 1,
    depth: int | None = None,
    topics: Topics = "judged",
    reading: dict[str, Any] | None = None,
) -> GainFit:
    """Fit a curve of gain by rank to the judged documents of each topic (G16 §3).

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    model
        The curve to fit: one of ``GAIN_MODELS``.
    gain : {"binary", "linear", "exponential"}
        How a grade becomes a gain.
    rel
        Smallest grade of a relevant document, for the binary gain.
    depth
        The depth to which runs were pooled; by default, topic by topic, down to where half of the
        runs are judged without a gap.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    reading : dict, optional
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    GainFit
        The curve of each topic, and how far it is from the gains it was fitted to.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
    >>> found = study_gains({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, runs, model="constant")
    >>> found.models[0].rate, found.models[0].last
    (1.0, 2)
    """
    require_choice("gain", gain, GAINS)
    evidence = as_evidence(judgments, runs, topics=topics, **(reading or {}))
    gains = scaled_gains(evidence.scale, gain, rel)
    return fit_gains(evidence, gains, model=model, depth=depth)


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
    reading: dict[str, Any] | None = None,
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
    reading : dict, optional
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
    evidence = as_evidence(judgments, runs, topics=topics, grades=grades, **(reading or {}))
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
