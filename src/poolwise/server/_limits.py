"""How much may be asked, by whom, and how fast."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["LONGEST_BODY", "Rate"]

LONGEST_BODY = 65_536
"""Bytes of a request's body."""
_MOST_KNOWN = 10_000
"""Callers that are remembered: an attacker with many names fills no memory."""


@dataclass
class _Bucket:
    left: float
    at: float


class Rate:
    """How often each caller may ask: so many at once, and so many a second.

    Examples
    --------
    >>> now = [0.0]
    >>> rate = Rate(most=2, a_second=1, clock=lambda: now[0])
    >>> [rate.allows("ann"), rate.allows("ann"), rate.allows("ann"), rate.allows("ben")]
    [True, True, False, True]
    >>> now[0] = 1.0
    >>> rate.allows("ann"), rate.allows("ann")
    (True, False)
    """

    def __init__(
        self, most: float, a_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._a_second, self._clock = most, a_second, clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def allows(self, caller: str) -> bool:
        """Count one request of a caller, and say whether it may be answered."""
        now = self._clock()
        bucket = self._buckets.setdefault(caller, _Bucket(self._most, now))
        # Who asked longest ago is forgotten first: a caller who keeps asking is never let off.
        self._buckets.move_to_end(caller)
        if len(self._buckets) > _MOST_KNOWN:
            self._buckets.popitem(last=False)
        bucket.left = min(self._most, bucket.left + (now - bucket.at) * self._a_second)
        bucket.at = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True
