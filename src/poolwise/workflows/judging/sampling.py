"""Samples of documents to judge, drawn from runs that lie in files."""

from typing import Any

from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading
from poolwise.judging.sampling.designs import Design
from poolwise.judging.sampling.drawing import DrawnSample, draw_sample
from poolwise.provenance._provenance import DEFAULT_SEED
from poolwise.provenance._recorded import recorded

__all__ = ["sample_documents", "sampled_judgments", "to_judge_bytes"]


@recorded
def sample_documents(
    runs: Any, design: Design | str, *, rng: int = DEFAULT_SEED, reading: Reading = Reading()
) -> DrawnSample:
    """Draw a sample of the documents of runs, each with a chance that is known.

    Parameters
    ----------
    design
        ``depths:10=1,30=0.4,100=0.1`` for strata by best rank and their rates, or ``rbp:100`` for
        about 100 documents of each topic, with chances in proportion to summed RBP weights.

    Returns
    -------
    DrawnSample
        The documents that could have been drawn, which were, and the chance of each.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    >>> drawn = sample_documents(runs, "depths:1=1,3=1")
    >>> drawn.drawn.tolist(), drawn.stratum.tolist()
    ([True, True, True], [1, 2, 2])
    """
    return draw_sample(reading.runs(runs), design, seed=rng)


@recorded
def sampled_judgments(
    drawn: DrawnSample, judgments: Any, *, reading: Reading = Reading()
) -> tuple[Judgments, int]:
    """Return a sample with the grades of judgments, and how many drawn documents have none there.

    Parameters
    ----------
    drawn : DrawnSample
        What :func:`sample_documents` drew.

    Returns
    -------
    sampled : Judgments
        The grades with the chances of their documents, from which measures are estimated.
    ungraded : int
        How many of the documents drawn have no grade yet.

    Examples
    --------
    >>> drawn = sample_documents({"bm25": {"1": {"a": 3.0, "b": 2.0}}}, "depths:2=1")
    >>> sampled, ungraded = sampled_judgments(drawn, {"1": {"a": 1}})
    >>> sampled.to_dict(), ungraded
    ({'1': {'a': 1.0, 'b': -1.0}}, 1)
    """
    known = reading.judgments(judgments)
    return drawn.graded(known), drawn.ungraded(known)


def to_judge_bytes(drawn: DrawnSample) -> bytes:
    """Return the documents drawn, to be judged, as a file of tab-separated columns.

    Parameters
    ----------
    drawn : DrawnSample
        What :func:`sample_documents` drew.

    Returns
    -------
    bytes
        One line per document under a header, in the order of topics and ids.

    Examples
    --------
    >>> drawn = sample_documents({"bm25": {"1": {"a": 3.0, "b": 2.0}}}, "depths:2=1")
    >>> print(to_judge_bytes(drawn).decode().expandtabs(12))
    topic       document    stratum     probability
    1           a           1           1.0
    1           b           1           1.0
    """
    head = "topic\tdocument\tstratum\tprobability\n"
    lines = (f"{t}\t{d}\t{stratum}\t{chance!r}\n" for t, d, stratum, chance in drawn.rows())
    return (head + "".join(lines)).encode("utf-8", "surrogateescape")
