"""How files are read, as one value, and whether judgments and runs are in their order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.collection._identifiers import positions
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection.files._inputs import DUPLICATES, MALFORMED, NAME_RULES, TIES
from poolwise.collection.files._native import match_rows
from poolwise.collection.files._readers import NEGATIVE, read_judgments, read_runs
from poolwise.collection.files._sources import MAX_RATIO, is_stored
from poolwise.collection.formats._text_files import PeekedBytes, form_of
from poolwise.errors import InputError, OptionError, require_choice

__all__ = ["Reading", "any_is_run", "grades_differ_like_scores", "match_documents", "require_order"]


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


_CHOICES: dict[str, Iterable[str]] = {
    "ties": TIES,
    "duplicates": DUPLICATES,
    "malformed": MALFORMED,
    "negative": NEGATIVE,
    "names": NAME_RULES,
}
_JUDGMENTS_ALONE = ("negative", "trust")
_RUNS_ALONE = ("ties", "names", "layout", "workers")


@dataclass(frozen=True)
class Reading:
    """How runs and judgments are read: the same value in every function that reads them.

    Attributes
    ----------
    ties : {"trec_eval", "trec_eval9", "rank", "docid"}
        How documents of equal score are ordered: see ``TIE_RULES``.
    duplicates : {"error", "first", "last", "best"}
        What to do with a document that a topic holds twice.
    malformed : {"error", "skip"}
        What to do with a line that cannot be read.
    negative : {"keep", "zero"}
        A negative grade marks a document that was pooled and not judged, or is taken as 0.
    names : {"auto", "tag", "file"}
        What a system is called: see :func:`~poolwise.read_runs`.
    layout : {"auto", "trec", "columns", "tabs"}
        The layout of run files; told from the first line unless it is given.
    workers : int, optional
        How many files to read at the same time; as many as there are cores by default.
    max_ratio : float
        How many times its size a compressed file may unfold to.
    trust : bool
        Take grades that a machine gave as judgments; what is made of them says so.

    Examples
    --------
    >>> tied = {"bm25": {"1": {"a": 0.5, "b": 0.5}}}
    >>> Reading(ties="docid").runs(tied).ranking("bm25", "1")
    ['a', 'b']
    >>> Reading(ties="docid").runs(Reading().runs(tied))
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: reading: ties='docid' is about files, and these runs are read
    already. Hint: hand over paths or dicts, or read the runs with this option.
    """

    ties: str = "trec_eval"
    duplicates: str = "error"
    malformed: str = "error"
    negative: str = "keep"
    names: str = "auto"
    layout: str = "auto"
    workers: int | None = None
    max_ratio: float = MAX_RATIO
    trust: bool = False

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            require_choice(name, getattr(self, name), choices)

    def changed(self) -> dict[str, Any]:
        """Return the options that are not as usual, by name."""
        usual = {field.name: field.default for field in fields(self)}
        return {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    def recorded_options(self) -> dict[str, object]:
        """Return what provenance keeps; it has a place of its own for the tie rule."""
        return {n: value for n, value in self.changed().items() if n not in ("ties", "workers")}

    def judgments(self, source: Any, *, grades: Sequence[float] = ()) -> Judgments:
        """Return judgments as they are, or read them from a file, a dict or a frame.

        Parameters
        ----------
        source
            Judgments, or whatever :func:`~poolwise.read_judgments` reads.
        grades
            The grades that a document can have; by default 0 and the positive ones of the source.
        """
        if isinstance(source, Runs):
            raise _swapped("judgments", "runs")
        if isinstance(source, Judgments):
            self._refuse(_JUDGMENTS_ALONE, "judgments")
            return source.with_grades(grades) if grades else source
        return read_judgments(
            source,
            duplicates=self.duplicates,
            malformed=self.malformed,
            negative=self.negative,
            grades=grades,
            trust=self.trust,
            max_ratio=self.max_ratio,
        )

    def runs(self, source: Any) -> Runs:
        """Return runs as they are, or read them from files, dicts or frames.

        Parameters
        ----------
        source
            Runs, or whatever :func:`~poolwise.read_runs` reads; several in a list.
        """
        if isinstance(source, Judgments):
            raise _swapped("runs", "judgments")
        if isinstance(source, Runs):
            self._refuse(_RUNS_ALONE, "runs")
            return source
        return read_runs(source, **self.of_runs())

    def of_runs(self) -> dict[str, Any]:
        """Return the options of :func:`~poolwise.read_runs`, by name."""
        return {
            f.name: getattr(self, f.name) for f in fields(self) if f.name not in _JUDGMENTS_ALONE
        }

    def _refuse(self, options: Sequence[str], what: str) -> None:
        """Raise where an option is about files, and what was handed over is read already."""
        for name, value in self.changed().items():
            if name in options:
                raise OptionError(
                    f"reading: {name}={value!r} is about files, and these {what} are read already. "
                    f"Hint: hand over paths or dicts, or read the {what} with this option."
                )


def _swapped(wanted: str, passed: str) -> OptionError:
    return OptionError(
        f"{wanted}: these are {passed}. Hint: pass the judgments first and the runs second."
    )
