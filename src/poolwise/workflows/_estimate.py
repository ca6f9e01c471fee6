"""Scores of runs with unjudged documents, by one treatment of these or several."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.collection._common_topics import CommonTopics
from poolwise.collection._reading import Reading
from poolwise.evidence._ungraded import Universe
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.results._progress import progress_reporter
from poolwise.scores._scoring import ByMeasure
from poolwise.scores.treatments._estimates import Estimates, estimate_all
from poolwise.scores.treatments._treatments import Treatment
from poolwise.workflows._further_inputs import as_common, as_machine_labels, require_labels
from poolwise.workflows._inputs import (
    DEFAULT_MEASURES,
    Topics,
    as_groups,
    as_names,
    carded_evidence,
    several_measures,
)

__all__ = ["DEFAULT_TREATMENTS", "estimate"]

DEFAULT_TREATMENTS = (
    *("model", "nonrelevant", "condensed"),
    *("model(target='all')", "bootstrap", "exact"),
)
"""Treatments that stand side by side where none is named: those that can be had."""


@recorded
def estimate(
    judgments: Any,
    runs: Any,
    measures: Measure | str | Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    treatments: str | Iterable[str | Treatment] = DEFAULT_TREATMENTS,
    topics: Topics = "judged",
    depth: int | None = None,
    pooled: Sequence[str] | None = None,
    groups: Any = None,
    card: Any = None,
    common: CommonTopics | Iterable[str] | str | Path | None = None,
    labels: Any = None,
    by: str | None = None,
    scale: Sequence[float] = (),
    texts: Mapping[str, str] | str | Path | None = None,
    passages: Mapping[str, str] | str | Path | None = None,
    adaptive: bool = False,
    universe: Universe | str = "runs",
    universe_depth: int | str | None = None,
    grades: Sequence[float] = (),
    rng: int | np.random.Generator = 1,
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),
) -> ByMeasure[Estimates]:
    """Score runs that have unjudged documents, by several treatments of these.

    Parameters
    ----------
    treatments
        Treatments or their names, or ``"all"``. Of these and of the default ones, those are left
        out that the measure or the collection does not allow, with the reason.
    depth
        The depth of the pool; by default the model reads it off the judgments, and the others
        take the measure's cut-off.
    common
        The topics, drawn at random, on which the runs were judged for their own sake, for the
        adjustment from topics: their names, or the record that :func:`next` makes for the goal
        ``common:N``, or its file. With them, that adjustment is one of the default treatments.
    labels
        Labels by a machine, judged documents included: whatever
        :func:`~poolwise.collection.read_labels` reads. Its grade becomes a feature of the relevance
        model, and makes the priors of the bootstrap more informed. :func:`estimate_with_labels` is
        for people's labels that are a sample.
    by
        Which set of labels is used, where there are several.

    Returns
    -------
    ByMeasure of Estimates
        For each measure the scores by treatment, and why treatments were refused.

    Examples
    --------
    >>> from poolwise import simulate
    >>> made = simulate(systems=6, topics=10, depth=30, rng=1)
    >>> wanted = ["nonrelevant", "condensed"]
    >>> estimates = estimate(made.judgments, made.runs, "P@5", treatments=wanted)
    >>> list(estimates["P@5"].scores)
    ['nonrelevant', 'condensed']
    """
    evidence, opened = carded_evidence(
        judgments, runs, card, topics=topics, grades=grades, reading=reading
    )
    require_labels(labels, by=by, scale=scale, texts=texts, passages=passages)
    chosen = treatments if isinstance(treatments, str) else tuple(treatments)
    predicted = (
        None
        if labels is None
        else as_machine_labels(labels, by, scale=scale, texts=texts, passages=passages)
    )
    by_default, shared = chosen == DEFAULT_TREATMENTS, as_common(common)
    if by_default and shared:
        chosen = (*DEFAULT_TREATMENTS, "bias-topics")
    wanted, estimates = several_measures(measures), []
    for measure in wanted:
        estimates.append(
            estimate_all(
                evidence,
                measure,
                treatments=chosen,
                depth=depth,
                pooled=as_names(pooled),
                # Groups by name are those of the runs that were read.
                groups=as_groups(groups, evidence.systems),
                card=opened,
                common=shared,
                labels=predicted,
                adaptive=adaptive,
                # What nobody asked for by name may be left out, with the reason; what somebody did
                # is an error.
                tolerant=by_default,
                universe=Universe.of(universe, universe_depth),
                rng=rng,
            )
        )
        progress_reporter(progress, "measures estimated")(len(estimates), len(wanted))
    return ByMeasure.of(estimates)
