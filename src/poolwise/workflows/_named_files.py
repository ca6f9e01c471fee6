"""The files that the words of a command stand for; light, since commands ask before they begin."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from poolwise.collection.files._sources import (
    find_files,
    is_stored,
    require_path,
    without_addresses,
)
from poolwise.errors import InputError
from poolwise.provenance._recorded import recorded

__all__ = ["existing_files", "require_path", "stored_files", "without_addresses"]


@recorded
def existing_files(sources: Iterable[str | Path]) -> list[str]:
    """Return the files that paths, globs and folders stand for, without those that do not exist.

    Parameters
    ----------
    sources : iterable of str or Path
        Paths, globs, folders, or ``-`` for the standard input.

    Returns
    -------
    list of str
        The files, in the order given.

    Examples
    --------
    >>> existing_files(["nowhere.run", "-"])
    ['-']
    """
    files: list[str] = []
    for source in sources:
        with suppress(InputError):  # whoever reads it says what is wrong with it
            files += find_files(source)
    return files


@recorded
def stored_files(sources: Iterable[str | Path]) -> list[str]:
    """Return the files of :func:`existing_files` that can be read again, as a pipe cannot.

    Parameters
    ----------
    sources : iterable of str or Path
        Paths, globs, folders, or ``-`` for the standard input.

    Returns
    -------
    list of str
        The files, in the order given.

    Examples
    --------
    >>> stored_files(["nowhere.run", "-"])
    []
    """
    return list(filter(is_stored, existing_files(sources)))
