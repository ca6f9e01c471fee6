"""The same measure raw, normalized and standardized, at any depth (D10 §3.1)."""

from poolwise.errors import OptionError, require_choice
from poolwise.measures._catalogue import AP, DCG, RBP, SP, P, R, aAP, enDCG, nDCG, nP, nRBP
from poolwise.measures._measure import Measure, Ranked
from poolwise.measures.families._normalized import NormalizedRBP
from poolwise.measures.families._static_weights import RankBiasedPrecision, persistence

__all__ = ["FORMS", "at_depth", "in_form"]

FORMS = {
    "given": "the measure as it was named",
    "raw": "not divided by any ideal: P, SP, DCG, RBP",
    "normalized": "over the best ranking cut at the same depth (abbreviated): nP, aAP, nDCG, nRBP",
    "expanded": "over the best ranking of all relevant documents: R, AP, enDCG",
    "standardized": "in standard deviations from the mean of all runs on the topic (W10 ch. 4)",
}

_FAMILIES: tuple[dict[str, Ranked], ...] = (
    {"raw": P, "normalized": nP, "expanded": R},
    {"raw": SP, "normalized": aAP, "expanded": AP},
    {"raw": DCG, "normalized": nDCG, "expanded": enDCG},
    {"raw": RBP, "normalized": nRBP},
)


def in_form(measure: Measure, form: str) -> Measure:
    """Return the member of the measure's family that has this form.

    A standardized score is that of the measure as given, to be standardized once it is there:
    dividing by a topic's ideal makes no difference to it.

    Examples
    --------
    >>> in_form(nDCG(dcg="jk") @ 10, "expanded")
    enDCG(dcg='jk')@10
    >>> in_form(P(rel=2) @ 5, "normalized")
    nP(rel=2)@5
    """
    require_choice("forms", form, FORMS)
    if form in ("given", "standardized"):
        return measure
    family = next((f for f in _FAMILIES if type(measure) in map(type, f.values())), {})
    if form not in family:
        raise OptionError(
            f"forms: {measure!r} has no {form} form. Hint: use 'given' or 'standardized', "
            f"or a measure such as {', '.join(f[form].name for f in _FAMILIES if form in f)}."
        )
    target = family[form]
    shared = target.parameters().keys() & measure.parameters().keys()
    return target(**{name: measure.parameters()[name] for name in shared})


def at_depth(measure: Measure, depth: int, *, residual: float | None = None) -> Measure:
    """Return the measure cut at a depth, RBP with the p that leaves this residual (D10 eq. 7).

    Examples
    --------
    >>> at_depth(RBP(p=0.5), 10), at_depth(RBP(p=0.5), 100, residual=0.1)
    (RBP(p=0.5)@10, RBP(p=0.9772372209558107)@100)
    """
    if not isinstance(measure, Ranked):
        raise OptionError(
            f"measures: {measure!r} cannot be cut at a depth. Hint: use one that can, such "
            "as AP, nDCG or RBP."
        )
    if residual is not None and isinstance(measure, RankBiasedPrecision | NormalizedRBP):
        measure = measure(p=persistence(residual, depth=depth))
    return measure @ depth
