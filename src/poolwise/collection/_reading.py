"""How files are read, as one value."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection.files._inputs import NAME_RULES
from poolwise.collection.files._readers import NEGATIVE, read_judgments, read_runs
from poolwise.collection.files._scan import DUPLICATES, MALFORMED, TIES
from poolwise.collection.files._sources import MAX_RATIO
from poolwise.errors import OptionError, require_choice

__all__ = ["Reading"]

_CHOICES: dict[str, Iterable[str]] = {
    "ties": TIES,
    "duplicates": DUPLICATES,
    "malformed": MALFORMED,
    "negative": NEGATIVE,
    "names": NAME_RULES,
}
_JUDGMENTS_ALONE = ("negative",)
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
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "negative"}

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
