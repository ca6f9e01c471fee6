"""Both uncertainties of every row on one axis, drawn with characters."""

import math
from typing import NamedTuple

__all__ = ["Gauge"]


class Gauge(NamedTuple):
    """Numbers to draw beside the rows of a table: ``━`` a range, ``─`` an interval, ``●`` a mean.

    Attributes
    ----------
    mean, ci_low, ci_high, lower, upper : tuple of float
        One number per row: the mean, its interval over topics, and the range that the unjudged
        documents leave it.

    Examples
    --------
    >>> gauge = Gauge((0.3,), (0.21,), (0.38,), (0.3,), (0.52,))
    >>> gauge.title(30)
    '0.21                      0.52'
    >>> gauge.texts(30)
    ['────────●━━━━━━━━━━━━━━━━━━━━━']
    """

    mean: tuple[float, ...]
    ci_low: tuple[float, ...]
    ci_high: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def ends(self) -> tuple[float, float]:
        """Return both ends of the axis; it ends at 0 and 1 where nothing is known."""
        known = [value for column in self for value in column if not math.isnan(value)]
        return (min(known), max(known)) if known else (0.0, 1.0)

    def title(self, width: int) -> str:
        """Return the ends of the axis, as far apart as it is wide."""
        low, high = self.ends()
        return f"{low:.2f}{high:{width - len(f'{low:.2f}')}.2f}"

    def texts(self, width: int) -> list[str]:
        """Return the line of each row."""
        return [self._text(row, width) for row in range(len(self.mean))]

    def _text(self, row: int, width: int) -> str:
        low, high = self.ends()

        def place(value: float) -> int:
            return round((value - low) / ((high - low) or 1.0) * (width - 1))

        cells = [" "] * width
        for start, stop, mark in (
            (self.ci_low[row], self.ci_high[row], "─"),
            (self.lower[row], self.upper[row], "━"),
            (self.mean[row], self.mean[row], "●"),
        ):
            if not math.isnan(start):
                first, last = place(start), place(stop)
                cells[first : last + 1] = mark * (last + 1 - first)
        return "".join(cells)
