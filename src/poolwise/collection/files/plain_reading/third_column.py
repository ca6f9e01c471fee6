"""What the third column of a run holds: the twin of ``native/third_column.hpp``."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from poolwise.collection.files.plain_reading.fields import number_of

__all__ = ["RANKS", "SCORES", "UNTOLD", "is_header", "kind_of_values", "named_kind"]

# The numbers follow the enumeration of native/third_column.hpp.
UNTOLD, RANKS, SCORES = range(3)

_TOPIC_NAMES = frozenset(b"qid query_id query-id topic topic_id query".split())
_DOCUMENT_NAMES = frozenset(
    b"docno doc_id corpus-id docid document document_id pid corpus_id".split()
)
_GRADE_NAMES = frozenset(b"label relevance rel grade score".split())


def is_header(fields: Sequence[bytes]) -> bool:
    """Say whether a line is one of names, known or not; a number is none.

    Examples
    --------
    >>> is_header([b"Query-ID", b"corpus-id", b"score"]), is_header([b"topic", b"a", b"1"])
    (True, False)
    """
    return len(fields) == 3 and fields[0].lower() in _TOPIC_NAMES and number_of(fields[2]) is None


def named_kind(fields: Sequence[bytes], *, judgments: bool) -> int:
    """Return what a header calls the third column; untold where a name is not known."""
    name = fields[2].lower()
    if fields[1].lower() not in _DOCUMENT_NAMES:
        return UNTOLD
    if judgments:
        return SCORES if name in _GRADE_NAMES else UNTOLD
    return {b"score": SCORES, b"rank": RANKS}.get(name, UNTOLD)


def kind_of_values(lists: Iterable[Sequence[float]]) -> int:
    """Tell ranks from scores by the values of every list, in the order of the file.

    Examples
    --------
    >>> [kind_of_values([values]) for values in ([1.0, 2.0], [9.0, 7.5], [4.0, 4.0, 9.0])]
    [1, 2, 0]
    """
    several = list(lists)
    if not all(value >= 0 and value.is_integer() for values in several for value in values):
        return SCORES
    if all(_may_be_ranks(values) for values in several):
        return RANKS
    falling = all(a >= b for values in several for a, b in pairwise(values))
    return SCORES if falling else UNTOLD


def _may_be_ranks(values: Sequence[float]) -> bool:
    """Say whether values rise, or count the documents of a list from 0 or 1, in any order."""
    if all(a < b for a, b in pairwise(values)):
        return True
    ascending = sorted(values)
    return any(ascending == list(range(first, first + len(values))) for first in (0, 1))
