"""What ``trec_eval`` prints, byte for byte, because scripts parse it."""

from collections.abc import Iterator
from math import isnan

from poolwise.findings._trec_eval_scores import PrintedMeasure, TrecEvalScores
from poolwise.provenance._recorded import recorded

__all__ = ["trec_eval_lines"]

_ONLY_SUMMARY = {"runid", "num_q", "gm_map", "gm_bpref"}


@recorded
def trec_eval_lines(found: TrecEvalScores) -> Iterator[str]:
    r"""Yield the lines that ``trec_eval`` prints for one run.

    Parameters
    ----------
    found : TrecEvalScores
        What :func:`~poolwise.trec_eval` found.

    Yields
    ------
    str
        A line without its end: the measure, the topic or ``all``, and the value.

    Examples
    --------
    >>> measures = (PrintedMeasure("map", "map", (0.5,), total=0.5),)
    >>> print(*trec_eval_lines(TrecEvalScores("bm25", ("1",), (0,), (0,), measures)), sep="\n")
    map                   	all	0.5000
    """
    if found.per_topic:
        for t in found.shown:
            for measure in found.measures:
                if measure.family not in _ONLY_SUMMARY:
                    yield _line(measure, found.topics[t], measure.values[t])
    if found.summary:
        for measure in found.measures:
            if measure.family == "runid":
                yield _line(measure, "all", found.run)
            elif measure.family != "relstring":
                yield _line(measure, "all", measure.total)


def _line(measure: PrintedMeasure, topic: str, value: float | str) -> str:
    """Return a line; a distance from reference runs is marked, and never whole."""
    marked = measure.standardized and not isinstance(value, str)
    return f"{'Z' if marked else ''}{measure.name:<22}\t{topic}\t{_written(measure, value)}"


def _written(measure: PrintedMeasure, value: float | str) -> str:
    if isinstance(value, str):
        return value
    if isnan(value):
        # What C prints for 0/0 on the machines that trec_eval runs on.
        return "  -nan"
    return f"{value:.0f}" if measure.whole else f"{value:6.4f}"
