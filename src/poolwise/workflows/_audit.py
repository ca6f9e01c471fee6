"""What is in files, and what is thin or odd there, before any score is believed."""

from typing import Any

from poolwise.collection._reading import Reading
from poolwise.evidence._audit import Audit, audit_collection
from poolwise.findings._documents_by_run import DocumentsByRun, documents_of_topic
from poolwise.provenance._recorded import recorded
from poolwise.workflows._inputs import as_collection

__all__ = ["audit", "show"]


@recorded
def audit(judgments: Any, runs: Any, *, rel: float = 1, reading: Reading = Reading()) -> Audit:
    """Look for what is thin or odd in runs and judgments.

    Returns
    -------
    Audit
        Counts by run and by topic, and remarks on them, the gravest first.

    Examples
    --------
    >>> audit({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5, "x": 0.4}}}).judged_at_10.tolist()
    [0.5]
    """
    return audit_collection(*as_collection(judgments, runs, reading=reading), rel=rel)


@recorded
def show(
    judgments: Any, runs: Any, topic: str, *, depth: int = 10, reading: Reading = Reading()
) -> DocumentsByRun:
    """Find which documents runs rank first on a topic, where each run has them, and their grades.

    Parameters
    ----------
    topic : str
        A topic for which a run has results; it need not be judged.
    depth : int
        Take the documents that any run has in its first ranks, down to this one.

    Returns
    -------
    DocumentsByRun
        The documents with their grades and their ranks in every run, those first that are ranked
        early and often.

    Examples
    --------
    >>> runs = {"bm25": {"7": {"a": 0.5, "x": 0.4}}, "dense": {"7": {"x": 0.9, "b": 0.8}}}
    >>> show({"7": {"a": 2, "b": 0}}, runs, "7").documents
    ('x', 'a', 'b')
    """
    both = as_collection(judgments, runs, reading=reading)
    return documents_of_topic(*both, topic, depth=depth)
