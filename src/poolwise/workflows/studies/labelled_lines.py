"""Files that give each run or query two labels: three words in each line."""

from pathlib import Path

from poolwise.collection.files._sources import read_text
from poolwise.errors import InputError

__all__ = ["read_labels"]


def read_labels(path: str | Path, what: str, *, example: str) -> dict[str, tuple[str, str]]:
    r"""Return the second and third word of each line by the first.

    ``what`` names the three words, and ``example`` is a line that has them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "dates.txt"
    ...     _ = path.write_text("g17 google 2008-12-05\n\ny3 yahoo 2008-12-06\n")
    ...     read_labels(path, "run, system and date", example="g17 google 2008-12-05")
    {'g17': ('google', '2008-12-05'), 'y3': ('yahoo', '2008-12-06')}
    """
    lines = [(n, line.split()) for n, line in enumerate(read_text(path).splitlines(), 1) if line]
    for number, cells in lines:
        if len(cells) != 3:
            raise InputError(
                f"{Path(path)}:{number}",
                f"a line must hold {what}",
                value=" ".join(cells),
                remedy=f"write it such as {example!r}",
            )
    return {first: (second, third) for _, (first, second, third) in lines}
