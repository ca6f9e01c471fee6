"""What can be said of the order of two runs over judgments, and in which words."""

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import Provenance
from poolwise.words import range_text

__all__ = ["RESTS", "SETTLED", "VERDICTS", "range_words", "topic_word", "verdicts_of", "who_leads"]

RESTS = "rests on missing topics"
VERDICTS = {
    "certain": "one run is ahead, whatever the unjudged documents are",
    "never behind": "one run is ahead or level, whatever the unjudged documents are",
    "equal": "the runs are level, whatever the unjudged documents are",
    "open": "the unjudged documents decide who is ahead",
    RESTS: "with scores on the topics that a run lacks, this could be otherwise",
    "unknown": "there is no range",
}
"""What can be said of the order of two runs over judgments."""

SETTLED = ("certain", "never behind", "equal")
"""The verdicts by which no assignment of grades reverses an order."""

_CONSEQUENCES = {
    "certain": " and cannot reverse the order",
    "never behind": " and cannot reverse the order, though they could make the runs level",
    "equal": " and cannot part the runs",
    "open": " and could reverse the order",
    RESTS: "",
}


def verdicts_of(lower: Floats, upper: Floats, within: float) -> NDArray[np.str_]:
    """Return a key of ``VERDICTS`` for each range of a mean difference.

    Examples
    --------
    >>> low, high = np.array([0.1, 0.0, 0.0, -0.1, np.nan]), np.array([0.2, 0.1, 0.0, 0.1, np.nan])
    >>> verdicts_of(low, high, 1e-12).tolist()
    ['certain', 'never behind', 'equal', 'open', 'unknown']
    """
    choices = {
        "unknown": np.isnan(lower),
        "certain": (lower > within) | (upper < -within),
        "equal": (lower >= -within) & (upper <= within),
        "never behind": (lower >= -within) | (upper <= within),
    }
    return np.select(list(choices.values()), list(choices), "open")


def topic_word(made: Provenance) -> str:
    """Return what the topics of a verdict are called: those that all runs answer are common ones.

    Examples
    --------
    >>> topic_word(Provenance(topic_rule="common"))
    'common topic'
    """
    return "common topic" if made.topic_rule == "common" else "topic"


def who_leads(a: str, b: str, difference: float, measure: Measure) -> str:
    """Say which of two systems is ahead; the difference is not below 0."""
    if np.isnan(difference):
        return f"{a} and {b} cannot be compared in {measure}."
    if not difference:
        return f"{a} and {b} are level in {measure}."
    return f"{a} is ahead of {b} by {difference:.4f} in {measure}."


def range_words(low: float, high: float, verdict: str, documents: str) -> str:
    """Say what the unjudged documents leave, and what that means for the order."""
    leaves = f"{documents} leave {range_text(low, high)}"
    return f"{leaves}{_CONSEQUENCES[verdict]}"
