"""A small collection to try things on, and its files."""

from collections.abc import Iterator
from pathlib import Path

from poolwise.collection._simulation import Simulated, simulate
from poolwise.collection.files._writers import qrels_bytes, run_bytes

__all__ = ["make_demo"]

_SEED = 8
"""The collection is always the same, so that what is written about it stays true."""


def make_demo(folder: str | Path) -> tuple[Simulated, dict[Path, bytes]]:
    """Make a small collection, and its qrels and runs as files of a folder, not written yet.

    Some systems took part in the pool, and some came later and return documents that nobody
    judged; the complete judgments are known, since everything is simulated.

    Parameters
    ----------
    folder : str or Path
        Where the files would be.

    Returns
    -------
    made : Simulated
        The collection, with the complete truth about it.
    files : dict from Path to bytes
        The content of each file.

    Examples
    --------
    >>> made, files = make_demo("demo")
    >>> [path.as_posix() for path in files][:2]
    ['demo/qrels.txt', 'demo/runs/bm25-1.run']
    """
    made = simulate(systems=12, topics=50, depth=200, rng=_SEED)
    return made, dict(_files(made, Path(folder)))


def _files(made: Simulated, folder: Path) -> Iterator[tuple[Path, bytes]]:
    qrels = folder / "qrels.txt"
    yield qrels, qrels_bytes(made.judgments, qrels)
    for system in made.runs.systems:
        path = folder / "runs" / f"{system}.run"
        yield path, run_bytes(made.runs, system, path)
