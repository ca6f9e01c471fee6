"""What to judge next, of collections that lie in files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._matching import require_order
from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.judging.goals import Goal
from poolwise.judging.judging_list import JudgingList
from poolwise.judging.listing import list_documents
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import DEFAULT_SEED, Source
from poolwise.provenance._recorded import recorded
from poolwise.workflows.inputs import Topics, as_topics

__all__ = ["judgments_so_far", "next_to_judge"]


@recorded
def next_to_judge(
    judgments: Any,
    runs: Any,
    goal: Goal | str = "relevant",
    *,
    topics: Topics | None = None,
    judged_topics: bool = False,
    budget: int = 100,
    batch: int | None = None,
    measure: Measure | str | None = None,
    method: str | None = None,
    depth: int | None = None,
    rel: float = 1.0,
    rng: int = DEFAULT_SEED,
    reading: Reading = Reading(),
) -> JudgingList:
    """List the documents to judge next for a goal, with reasons and what judging them will buy.

    Parameters
    ----------
    judgments
        An object, or whatever :func:`~poolwise.read_judgments` reads; an empty file, or None,
        where nothing is judged yet.
    goal
        ``relevant``, ``residual``, ``even``, ``leaders``, ``pair:A,B``, ``run:A``, ``top:K`` or
        ``common:N``.
    topics : {"judged", "common"}, iterable of str, path, or None
        The judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line. By default all topics of the runs, judged or not.
    judged_topics
        The same as ``topics="judged"``.
    budget, batch
        How many documents can be judged, and how many of them to list now; by default all.
    measure, method
        What runs are scored by, and how documents are ordered; by default as the goal has it.
    depth
        How many ranks of each run are looked at; by default the cut-off of the measure where the
        goal is about an order, and 100.

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
    if judged_topics and topics not in (None, "judged"):
        raise OptionError(
            f"topics: judged_topics is the same as topics='judged'; got topics={topics!r}. Hint: "
            "give one of them."
        )
    wanted = "judged" if judged_topics else topics
    kept = None if wanted is None else as_topics(wanted)
    judged = judgments_so_far(judgments, reading)
    retrieved = reading.runs(runs)
    if judged is not judgments:
        require_order(judged, retrieved)
    return list_documents(
        judged,
        retrieved,
        goal,
        topics=kept,
        budget=budget,
        batch=batch,
        measure=measure,
        method=method,
        depth=depth,
        level=rel,
        seed=rng,
    )


def judgments_so_far(source: Any, reading: Reading) -> Judgments:
    """Read judgments; an empty file holds none, and is no mistake here."""
    if source is None:
        return Judgments.from_dict({})
    is_path = isinstance(source, str | Path)
    if is_path and Path(source).is_file() and not Path(source).stat().st_size:
        return replace(Judgments.from_dict({}), source=Source.of_file(str(source)))
    return reading.judgments(source)
