"""The grades that a machine gave the documents of the evidence."""

from itertools import repeat

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.collection._labels import Labels
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.words import named

__all__ = ["FEWEST_BOTH", "grades_of_rows", "require_one_machine"]

FEWEST_BOTH = 30
"""Documents with a label and a judgment that it takes to learn what a grade means."""


def grades_of_rows(labels: Labels, evidence: Evidence, rows: Integers) -> Floats:
    """Return what the first author of labels gave these documents; NaN where there is no label.

    ``rows``, ascending, are those of the evidence.

    Examples
    --------
    >>> import poolwise as pw
    >>> runs = pw.Runs.from_rankings({"a": {"1": ["x", "y"]}})
    >>> evidence = pw.align(pw.Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> labels = Labels.from_dict("gpt", {"1": {"y": 3}})
    >>> grades_of_rows(labels, evidence, np.arange(2)).tolist()
    [nan, 3.0]
    """
    label_grades = labels.matrix()[0]
    place = {topic: t for t, topic in enumerate(labels.topics)}
    ids = list(labels.documents)
    starts = np.searchsorted(rows, evidence.document_starts)
    grades = np.full(len(rows), np.nan)
    for t, topic in enumerate(evidence.topics):
        here = slice(int(starts[t]), int(starts[t + 1]))
        if topic not in place or here.start == here.stop:
            continue
        first, past = labels.starts[place[topic]], labels.starts[place[topic] + 1]
        grade_of = dict(zip(ids[first:past], label_grades[first:past].tolist(), strict=True))
        grades[here] = list(
            map(grade_of.get, evidence.document_ids.take(rows[here]), repeat(np.nan))
        )
    return grades


def require_one_machine(labels: Labels) -> None:
    """Raise where labels are not those of one author."""
    if not isinstance(labels, Labels) or len(labels.authors) != 1:
        got = named(labels.names) if isinstance(labels, Labels) else repr(labels)
        raise OptionError(
            f"labels: must be the labels of one machine; got {got}. Hint: read them by "
            "read_labels, and select one set; or use --labels FILE, and --by NAME."
        )
