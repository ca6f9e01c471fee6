"""Scores of runs with unjudged documents, by the treatment of your choice."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import OptionError, require_choice
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._ungraded import count_ungraded
from poolwise.evidence.unknowns._gain_models import GAIN_MODELS
from poolwise.evidence.unknowns.relevance_model._pool_shape import require_non_relevant
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import Notice
from poolwise.scores.score_table import ScoreTable
from poolwise.scores.treatments.bias_treatments import BiasFromSystems, BiasFromTopics
from poolwise.scores.treatments.gain_treatments import GainModelled, RateFilled
from poolwise.scores.treatments.modelled import Modelled
from poolwise.scores.treatments.treatments import (
    Bootstrap,
    Bounded,
    Condensed,
    NonRelevant,
    Treatment,
)
from poolwise.words import named

__all__ = [
    "TREATMENTS",
    "estimate",
    "find_treatment",
    "impossible_means",
    "is_outside",
    "range_error",
    "treatment_label",
]


TREATMENTS: tuple[Treatment, ...] = (
    Modelled(),
    NonRelevant(),
    Condensed(),
    Bounded("naive"),
    Bounded("exact"),
    RateFilled("background"),
    RateFilled("interpolation"),
    RateFilled("smoothing"),
    *(GainModelled(model) for model in GAIN_MODELS),
    Bootstrap(),
    BiasFromSystems(),
    BiasFromTopics(),
)
"""Every treatment with its default options, in the order of the documentation."""


def estimate(
    evidence: Evidence,
    measure: Measure | str,
    *,
    treatment: str | Treatment = "model",
    rng: int | np.random.Generator = 1,
) -> ScoreTable:
    """Score runs with unjudged documents by one of the treatments.

    Parameters
    ----------
    evidence : Evidence
    measure : Measure or str
    treatment : str or Treatment
        The name of one of ``TREATMENTS``, with options if need be (``"bootstrap(prior='pool')"``),
        or a treatment itself, such as ``GainModelled("linear", depth=20)``.
    rng : int or numpy.random.Generator
        Seed or Generator, for the treatments that draw.

    Returns
    -------
    ScoreTable
        The estimates; lower and upper are the range where the treatment gives one, else NaN. A
        run without unjudged documents has its plain score, whatever the treatment.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, None, 0, 1]])
    >>> for name in ("nonrelevant", "condensed", "interpolation", "static"):
    ...     print(name, round(estimate(evidence, "RBP(p=0.5)@4", treatment=name).value.item(), 3))
    nonrelevant 0.562
    condensed 0.625
    interpolation 0.767
    static 0.688
    """
    measure = parse_measure(measure)
    chosen = find_treatment(treatment) if isinstance(treatment, str) else treatment
    if getattr(chosen, "needs_non_relevant", False):
        require_non_relevant(evidence, chosen.name)
    table = chosen.table(evidence, measure, rng)
    seed = (
        f" (seed {rng})"
        if isinstance(rng, int) and isinstance(chosen, Bootstrap | Modelled)
        else ""
    )
    unknown = int(count_ungraded(measure.cut(evidence)).sum())
    notice = Notice(f"documents without a grade, treated by {chosen!r}{seed}", unknown)
    notices = (*table.provenance.notices, notice)
    return replace(table, provenance=replace(table.provenance, notices=notices))


def range_error(value: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return how far each estimate is from a range, 0 inside it (ε of G16 §3).

    Parameters
    ----------
    value : float array
        The estimates.
    lower, upper : float array
        The ends of the range of each.

    Returns
    -------
    float array
        The distance of each estimate from the nearer end of its range.

    Examples
    --------
    >>> range_error(np.array([0.1, 0.3, 0.5]), np.full(3, 0.2), np.full(3, 0.4)).round(2).tolist()
    [0.1, 0.0, 0.1]
    """
    return np.maximum(np.maximum(lower - value, value - upper), 0.0)


def is_outside(value: Floats, lower: Floats, upper: Floats, within: float) -> Booleans:
    """Tell which estimates lie outside of a range by more than rounding; an unknown one has none.

    Examples
    --------
    >>> is_outside(np.array([0.1, 0.4, 0.5]), np.full(3, 0.2), np.array([0.4] * 3), 0.0).tolist()
    [True, False, True]
    """
    return np.asarray((value < lower - within) | (value > upper + within))


def impossible_means(measure: Measure, runs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Say of which runs a treatment gives a mean that is not possible, by treatment.

    Examples
    --------
    >>> impossible_means(parse_measure("AP"), {"condensed": ["bm25"], "model": []})
    ('By condensed, the mean AP of bm25 is impossible: no grades of the unjudged documents give
    it.',)
    """
    return tuple(
        f"By {name}, the mean {measure} of {named(found)} is impossible: no grades of the "
        "unjudged documents give it."
        for name, found in runs.items()
        if found
    )


def find_treatment(name: str) -> Treatment:
    """Return the treatment of this name, with the options that follow it in parentheses.

    Examples
    --------
    >>> find_treatment("condensed")
    Condensed(ranged=False)
    >>> find_treatment("bootstrap(prior='pool',draws=500)")
    Bootstrap(prior='pool', draws=500, joint=False, percentile=95, over='topics', depth=None,
    deep=False)
    """
    stem, _, inside = name.strip().partition("(")
    known = {treatment.name: treatment for treatment in TREATMENTS} | {"bounds": Bounded("exact")}
    require_choice("treatment", stem, known)
    options = _options(name, f"options({inside}" if inside else "options()")
    unknown = sorted(options.keys() - _fields(known[stem]).keys())
    if unknown:
        raise OptionError(
            f"treatment: {stem!r} has no option {unknown[0]!r}. Hint: use "
            f"{', '.join(_fields(known[stem])) or 'it without any'}."
        )
    return replace(known[stem], **options)  # type: ignore[type-var] # every treatment is a dataclass


def treatment_label(treatment: Treatment) -> str:
    """Return the name of a treatment, with the options that were changed.

    Examples
    --------
    >>> treatment_label(Bootstrap(prior="run")), treatment_label(GainModelled("zipf"))
    ("bootstrap(prior='run')", 'zipf')
    """
    usual = _fields(next((t for t in TREATMENTS if t.name == treatment.name), treatment))
    changed = {n: v for n, v in _fields(treatment).items() if v != usual[n]}
    inside = ",".join(f"{name}={value!r}" for name, value in changed.items())
    return treatment.name + (f"({inside})" if inside else "")


def _fields(treatment: Treatment) -> dict[str, Any]:
    return {f.name: getattr(treatment, f.name) for f in fields(treatment)}  # type: ignore[arg-type] # as above


def _options(name: str, call: str) -> dict[str, Any]:
    """Read ``prior='run',draws=500)``."""
    try:
        parsed = ast.parse(call, mode="eval").body
        return {str(k.arg): ast.literal_eval(k.value) for k in getattr(parsed, "keywords", ())}
    except (SyntaxError, ValueError) as error:
        raise OptionError(
            f"treatment: {name!r} cannot be read. Hint: write options as in "
            "bootstrap(prior='run',draws=500)."
        ) from error
