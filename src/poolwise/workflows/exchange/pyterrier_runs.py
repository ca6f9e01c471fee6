"""The arguments of a PyTerrier experiment, as judgments and runs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.provenance._recorded import recorded
from poolwise.words import counted

__all__ = ["JudgmentsAndRuns", "from_pyterrier"]


class JudgmentsAndRuns(NamedTuple):
    """What :func:`~poolwise.compare` and its like take, in their order."""

    judgments: Judgments
    runs: Runs


@recorded
def from_pyterrier(
    systems: Mapping[str, Any] | Sequence[Any],
    topics: Any,
    qrels: Any,
    *,
    names: Iterable[str] = (),
    reading: Reading = Reading(),
) -> JudgmentsAndRuns:
    """Take what ``pt.Experiment`` takes, and return judgments and runs.

    Parameters
    ----------
    systems
        Transformers, which are run on the topics, or the frames that they returned: a list as for
        ``pt.Experiment``, or a dict by name.
    topics
        The frame of topics; None is fine where no system has to be run.
    qrels
        The frame of judgments.
    names
        What the systems of a list are called; ``run1`` and so on by default.

    Returns
    -------
    JudgmentsAndRuns
        A tuple of both, as all functions of poolwise take them.

    Examples
    --------
    >>> import pandas as pd
    >>> bm25 = pd.DataFrame({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    >>> judgments, runs = from_pyterrier([bm25], None, qrels, names=["bm25"])
    >>> runs.ranking("bm25", "1")
    ['b', 'a']
    """
    retrieved = {name: _retrieved(system, topics) for name, system in _named(systems, names)}
    return JudgmentsAndRuns(reading.judgments(qrels), reading.runs(retrieved))


def _named(
    systems: Mapping[str, Any] | Sequence[Any], names: Iterable[str]
) -> list[tuple[str, Any]]:
    if isinstance(systems, Mapping):
        return [*systems.items()]
    called = list(names) or [f"run{i + 1}" for i in range(len(systems))]
    if len(called) != len(systems):
        raise OptionError(
            f"names: {counted(len(called), 'name')} for {counted(len(systems), 'system')}. "
            "Hint: give each system a name, or none."
        )
    return [*zip(called, systems, strict=True)]


def _retrieved(system: Any, topics: Any) -> Any:
    """Run a transformer on the topics; a frame is what one returned."""
    if hasattr(system, "columns") or not hasattr(system, "transform"):
        return system
    return system(topics)
