"""What to judge next, of collections that lie in files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from poolwise.collection.judgments import Judgments
from poolwise.collection.shapes.argument_order import require_order
from poolwise.errors import OptionError
from poolwise.judging._goals import Goal
from poolwise.judging._lists import JudgingList
from poolwise.judging._next import list_documents
from poolwise.provenance._provenance import Source
from poolwise.workflows.inputs import Topics, as_judgments, as_runs, as_topics

__all__ = ["judgments_so_far", "next_to_judge"]


def next_to_judge(
    judgments: Any,
    runs: Any,
    goal: Goal | str = "relevant",
    *,
    topics: Topics | None = None,
    judged_topics: bool = False,
    reading: Any = None,
    **options: Any,
) -> JudgingList:
    """List the documents to judge next for a goal, with reasons and what judging them will buy.

    Parameters
    ----------
    judgments
        An object, or whatever :func:`~poolwise.read_judgments` reads; an empty file, or None,
        where nothing is judged yet.
    runs
        An object, or whatever :func:`~poolwise.read_runs` reads.
    goal
        ``relevant``, ``residual``, ``even``, ``leaders``, ``pair:A,B``, ``run:A``, ``top:K`` or
        ``common:N``.
    topics : {"judged", "common"}, iterable of str, path, or None
        The judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line. By default all topics of the runs, judged or not.
    judged_topics
        The same as ``topics="judged"``.
    reading
        A dict of the options of :func:`~poolwise.read_runs`.
    options
        Those of :func:`poolwise.judging.next_of_evidence`: budget, batch, measure, method, depth…

    Returns
    -------
    JudgingList
        The documents, the first one first, with reasons and what judging them will buy.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 2.0, "b": 1.0}}, "ql": {"1": {"c": 2.0, "a": 1.0}}}
    >>> next_to_judge(None, runs, budget=1).document
    ('a',)
    """
    how = reading or {}
    if judged_topics and topics not in (None, "judged"):
        raise OptionError(
            f"topics: judged_topics is the same as topics='judged'; got topics={topics!r}. Hint: "
            "give one of them."
        )
    wanted = "judged" if judged_topics else topics
    kept = None if wanted is None else as_topics(wanted)
    judged = judgments_so_far(judgments, how)
    retrieved = as_runs(runs, **how)
    if judged is not judgments:
        require_order(judged, retrieved)
    return list_documents(judged, retrieved, goal, topics=kept, **options)


def judgments_so_far(source: Any, reading: dict[str, Any]) -> Judgments:
    """Read judgments; an empty file holds none, and is no mistake here."""
    if source is None:
        return Judgments.from_dict({})
    is_path = isinstance(source, str | Path)
    if is_path and Path(source).is_file() and not Path(source).stat().st_size:
        return replace(Judgments.from_dict({}), source=Source.of_file(str(source)))
    return as_judgments(source, **reading)
