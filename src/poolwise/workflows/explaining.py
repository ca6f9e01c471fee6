"""What a measure is, and which there are; and what is installed."""

from poolwise.collection.files.native_library import is_native
from poolwise.measures.explanation import explain, list_measures
from poolwise.version import __version__

__all__ = ["about_installation", "explain", "list_measures"]

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
