"""Judgments met with runs: which grades which document, and whether each is in its place."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from poolwise.collection._identifiers import positions
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection.files._native import match_rows
from poolwise.collection.files._sources import is_stored
from poolwise.collection.formats._samples import PeekedBytes
from poolwise.collection.formats._text_tables import form_of
from poolwise.errors import InputError

__all__ = ["any_is_run", "grades_differ_like_scores", "match_documents", "require_order"]


def match_documents(judgments: Judgments, runs: Runs) -> NDArray[np.int32]:
    """Return, for each document row of the runs, the row of its judgment, −1 if it has none.

    Examples
    --------
    >>> runs = Runs.from_rankings({"bm25": {"1": ["b", "x", "a"]}})
    >>> match_documents(Judgments.from_dict({"1": {"a": 1, "b": 0}}), runs).tolist()
    [0, 1, -1]
    """
    return match_rows(
        runs.documents,
        runs.topic_starts,
        positions(runs.topics, judgments.topics),
        judgments.documents,
        judgments.starts,
    )


_MANY = 20
"""Grades that are whole numbers are suspicious from this many of them on."""
_FIELDS_OF_TREC = 6
_SETS = "sets of documents"


def grades_differ_like_scores(judgments: Judgments) -> bool:
    """Say whether grades are as different as the scores of a run: hardly two of a topic are equal.

    Examples
    --------
    >>> grades_differ_like_scores(Judgments.from_dict({"1": {"a": 0.61, "b": 0.42}}))
    True
    >>> grades_differ_like_scores(Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 0.5}}))
    False
    """
    if judgments.declared or judgments.is_sample or len(judgments) <= len(judgments.topics):
        return False
    # Grades are whole, or few, or shared by many documents of a topic; scores are none of these.
    whole = judgments.scale == np.floor(judgments.scale)
    few = len(judgments.scale) < _MANY
    # Of few different grades one whole number clears them; of many, none does.
    if whole[judgments.codes].mean() > (0 if few else 1):
        return False
    topic = np.repeat(np.arange(len(judgments.topics)), np.diff(judgments.starts))
    pairs = np.unique(topic * len(judgments.scale) + judgments.codes)
    return bool(len(pairs) > len(judgments.codes) * 0.9)


def require_order(judgments: Judgments, runs: Runs) -> None:
    """Raise if judgments have grades like scores, and runs have scores like grades.

    Either can be meant: a model may grade by fractions, and a run may have many ties. Both at the
    same time are taken for runs and judgments in each other's place, unless the run is a TREC file
    or holds sets, which have no scores.

    Examples
    --------
    >>> import poolwise as pw
    >>> qrels, run = {"1": {"a": 1, "b": 0, "c": 0}}, {"1": {"b": 0.61, "a": 0.42}}
    >>> require_order(pw.read_judgments(qrels), pw.read_runs(run))
    >>> require_order(pw.read_judgments(run), pw.read_runs(qrels))
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: <dict>: these must be judgments, and they look like a run: hardly
    two documents of a topic have the same grade, while most documents of the runs are tied. Hint:
    pass the judgments first and the runs second; if they are in order, write the run as a TREC
    file, or in Python pass what read_judgments and read_runs return.
    """
    if grades_differ_like_scores(judgments) and _scores_are_like_grades(runs):
        raise InputError(
            judgments.source.path,
            "these must be judgments, and they look like a run: hardly two documents of a topic "
            "have the same grade, while most documents of the runs are tied",
            remedy="pass the judgments first and the runs second; if they are in order, write the "
            "run as a TREC file, or in Python pass what read_judgments and read_runs return",
        )


def _scores_are_like_grades(runs: Runs) -> bool:
    """Say whether the documents of runs are tied, as those of a topic are by their grades."""
    lists = np.count_nonzero(np.diff(runs.list_starts))
    behind_the_first = len(runs.rankings) - lists
    tied = runs.tied.sum() >= max(1, behind_the_first / 2)
    # A set has no grades, so that what holds sets cannot be judgments.
    are_sets = any(notice.what.startswith(_SETS) for notice in runs.notices)
    return bool(tied) and not are_sets and not any_is_run(source.path for source in runs.sources)


def any_is_run(paths: Iterable[str]) -> bool:
    """Say whether one of these files has the six fields of TREC's runs, which no judgments have.

    Examples
    --------
    >>> any_is_run(["nowhere.run"])
    False
    """
    return any(_has_fields_of_run(path) for path in paths if is_stored(path) and not form_of(path))


def _has_fields_of_run(path: str) -> bool:
    return len(PeekedBytes(path).first_line().split()) >= _FIELDS_OF_TREC
