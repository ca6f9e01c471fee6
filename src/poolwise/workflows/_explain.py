"""What a measure is, what to cite, what is installed, and a collection to try things on."""

from collections.abc import Iterator
from pathlib import Path

from poolwise.collection._simulation import Simulated, simulate
from poolwise.collection.files._native import is_native
from poolwise.collection.files._writers import qrels_bytes, run_bytes
from poolwise.findings._cited_methods import CitedMethods, methods_cited
from poolwise.measures._explanation import explain, list_measures
from poolwise.provenance._recorded import recorded
from poolwise.results._record_files import find_record
from poolwise.studies._table import STUDIES
from poolwise.version import __version__

__all__ = ["about_installation", "cite", "explain", "list_measures", "make_demo"]

_NATIVE = "The native library is in use."
_NOT_NATIVE = "The native library is not in use: results are the same, and take longer."


def about_installation() -> tuple[str, ...]:
    """Return the version, and a sentence on the library that makes poolwise fast.

    Returns
    -------
    tuple of str
        The line of the version, and the sentence.

    Examples
    --------
    >>> about_installation()[0].startswith("poolwise, version ")
    True
    """
    return f"poolwise, version {__version__}", _NATIVE if is_native() else _NOT_NATIVE


@recorded
def cite(result: str | Path | None = None) -> CitedMethods:
    """Say what to cite for a result that poolwise wrote: poolwise, and the methods it used.

    Parameters
    ----------
    result
        A file with its provenance, or one that lies beside its provenance; by default none, and
        then poolwise alone is cited.

    Returns
    -------
    CitedMethods
        The publications, with what each is cited for; ``bibtex()`` gives their entries.

    Examples
    --------
    >>> print(cite().bibtex().splitlines()[0])
    @misc{poolwise,
    """
    papers = {f"study {study.name}": study.papers for study in STUDIES}
    return CitedMethods({}) if result is None else methods_cited(find_record(result), papers=papers)


_SEED = 8
"""The collection is always the same, so that what is written about it stays true."""


@recorded
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
