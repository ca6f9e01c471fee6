"""Lists of topics, in memory or in files."""

from collections.abc import Iterable
from pathlib import Path

from poolwise.collection.files.sources import read_text

__all__ = ["listed_topics", "read_topics"]


def read_topics(path: str | Path) -> tuple[str, ...]:
    r"""Read a list of topics, one in each line, plain or compressed.

    Empty lines are passed over, and so is what follows a tab, so that a file of topics with their
    texts is such a list.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    tuple of str
        The topics in the order of the lines, each once.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "topics.txt")
    ...     _ = path.write_text("402\n401\tfoundry slag\n\n402\n")
    ...     read_topics(path)
    ('402', '401')
    """
    lines = read_text(path).removeprefix("\ufeff").splitlines()
    names = (line.partition("\t")[0].strip() for line in lines)
    return tuple(dict.fromkeys(name for name in names if name))


def listed_topics(listed: str | Path | Iterable[str]) -> tuple[str, ...]:
    """Return the topics of a list as they are, or those of a file.

    Examples
    --------
    >>> listed_topics(["402", "401"])
    ('402', '401')
    """
    return read_topics(listed) if isinstance(listed, str | Path) else tuple(map(str, listed))
