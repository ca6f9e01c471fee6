"""How far rankings have moved from an old run to a new one, from files."""

from collections.abc import Iterable
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.errors import OptionError
from poolwise.findings.gating._gate import RankingChange, ranking_change
from poolwise.findings.similarity._run_similarity import run_overlap
from poolwise.provenance._recorded import recorded
from poolwise.workflows.overlapping import runs_to_compare

__all__ = ["check_similarity"]


@recorded
def check_similarity(
    runs: Any,
    fail_under: float,
    *,
    p: float = 0.9,
    tied: str = "broken",
    depth: int | None = None,
    topics: Iterable[str] = (),
    reading: Reading = Reading(),
) -> RankingChange:
    """Ask whether a new run ranks like an old one, by rank-biased overlap, without judgments.

    Parameters
    ----------
    runs
        The old run and the new one: an object, or whatever :func:`~poolwise.read_runs` reads.
    fail_under
        The mean overlap that is asked for.
    p, tied, depth, topics
        As for :func:`~poolwise.similarity`.

    Returns
    -------
    RankingChange
        The verdict, pass or fail, with the mean overlap and the topics that moved most.

    Examples
    --------
    >>> lists = {"old": {"1": {"x": 2.0, "y": 1.0}}, "new": {"1": {"y": 2.0, "x": 1.0}}}
    >>> check_similarity(lists, 0.9, p=0.5).verdict
    'fail'
    """
    loaded = runs_to_compare(runs, topics, reading)
    if len(loaded.systems) != 2:
        raise OptionError(
            f"runs: an old run and a new one are compared; got {len(loaded.systems)}. "
            "Hint: name two files."
        )
    found = run_overlap(loaded, *loaded.systems, p=p, tied=tied, depth=depth)
    return ranking_change(found, fail_under=fail_under)
