"""Grades brought back into the judgments."""

from typing import Any

from poolwise.collection._merged import Merged, merge_all
from poolwise.collection._reading import Reading
from poolwise.provenance._recorded import recorded
from poolwise.workflows.judging.listing import judgments_so_far

__all__ = ["merge_judgments"]


@recorded
def merge_judgments(
    judgments: Any, *grades: Any, conflicts: str = "error", reading: Reading = Reading()
) -> Merged:
    """Merge new grades into judgments; nothing is overwritten unless a rule says so.

    Parameters
    ----------
    judgments
        An object, or whatever :func:`~poolwise.read_judgments` reads; an empty file, or None,
        where nothing is judged yet.
    grades
        What came in, of the same kinds, in the order of time.
    conflicts : {"error", "first", "last", "highest", "majority", "mean"}
        What becomes of a document with different grades.

    Returns
    -------
    Merged
        The judgments together, and how many grades are new, agree, and conflict.

    Examples
    --------
    >>> found = merge_judgments({"1": {"a": 1}}, {"1": {"b": 0}}, {"1": {"a": 1}})
    >>> found.judgments.to_dict(), found.added, found.agreeing
    ({'1': {'a': 1.0, 'b': 0.0}}, 1, 1)
    """
    sources = [judgments_so_far(source, reading) for source in (judgments, *grades)]
    return merge_all(sources, conflicts=conflicts)
