"""What a measure is, and which there are; what to cite; and what is installed."""

from pathlib import Path

from poolwise.collection.files._native import is_native
from poolwise.findings._cited_methods import CitedMethods, methods_cited
from poolwise.measures._explanation import explain, list_measures
from poolwise.results._records import find_record
from poolwise.studies._table import STUDIES
from poolwise.version import __version__

__all__ = ["about_installation", "cite", "explain", "list_measures"]

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
