"""The measures that a user names, one or several."""

from collections.abc import Iterable
from typing import Any

from poolwise.errors import OptionError
from poolwise.measures._measure import Measure

__all__ = ["several_measures"]


def several_measures(measures: Any) -> list[Any]:
    """Return measures as a list; there is one at least.

    Examples
    --------
    >>> several_measures("AP"), several_measures(("AP", "P@10"))
    (['AP'], ['AP', 'P@10'])
    """
    if isinstance(measures, str | Measure) or not isinstance(measures, Iterable):
        return [measures]
    if several := list(measures):
        return several
    raise OptionError("measures: at least one is needed. Hint: use nDCG@10.")
