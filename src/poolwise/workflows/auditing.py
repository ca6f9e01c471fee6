"""What is thin or odd in files, before any score is believed."""

from typing import Any

from poolwise.evidence.audit import Audit, audit_collection
from poolwise.workflows.inputs import as_judgments, as_runs

__all__ = ["audit"]


def audit(judgments: Any, runs: Any, *, rel: float = 1, **reading: Any) -> Audit:
    """Look for what is thin or odd in runs and judgments.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    rel
        Smallest grade of a relevant document.
    reading
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    Audit
        Counts by run and by topic, and remarks on them, the gravest first.

    Examples
    --------
    >>> audit({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5, "x": 0.4}}}).judged_at_10.tolist()
    [0.5]
    """
    judged = as_judgments(judgments, **reading)
    return audit_collection(judged, as_runs(runs, **reading), rel=rel)
