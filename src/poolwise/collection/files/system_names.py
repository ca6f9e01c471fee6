"""What the systems of a set of run files are called."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from poolwise.errors import InputError

__all__ = ["NAMES", "distinct_names", "name_systems"]

NAMES = ("auto", "tag", "file")
"""What a system can be called by."""

_ENDINGS = (
    *(".gz", ".xz", ".bz2", ".zst", ".txt", ".tsv", ".run", ".trec", ".res", ".eval"),
    *(".parquet", ".pq", ".csv", ".json", ".jsonl", ".ndjson"),
)


def distinct_names(
    tags: Sequence[str], paths: Sequence[str], rule: str = "auto", *, inputs: Sequence[str] = ()
) -> tuple[str, ...]:
    """Name each run, and raise where one is given twice, or where two would have one name.

    ``inputs`` says what each was read from, where that is not its path.

    Examples
    --------
    >>> distinct_names(["mine", "mine"], ["x/b.gz", "x/b.gz"])
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: x/b.gz: each run must be read once, and each system have a name of
    its own; got 'x/b.gz'. Hint: remove the second, or rename it.
    """
    names = name_systems(tags, paths, rule)
    repeated = next((n for i, n in enumerate(names) if n in names[:i]), None)
    if repeated is not None:
        raise InputError(
            (inputs or paths)[names.index(repeated)],
            "each run must be read once, and each system have a name of its own",
            value=repeated,
            remedy="remove the second, or rename it"
            + (", or use names='file'" if rule == "tag" else ""),
        )
    return names


def name_systems(tags: Sequence[str], paths: Sequence[str], rule: str = "auto") -> tuple[str, ...]:
    """Name each run by its tag where no other has it, otherwise by its file.

    Rule ``tag`` takes the tags as they are, ``file`` the files' names without their endings, or
    the whole paths of those that would be equal.

    Examples
    --------
    >>> name_systems(["bm25", "mine", "mine"], ["a.run", "x/b.gz", "x/c.gz"])
    ('bm25', 'b', 'c')
    """
    if rule == "tag":
        return tuple(tags)
    stems = [_stem(path) for path in paths]
    stem_count, tag_count = Counter(stems), Counter(tags)
    files = [s if stem_count[s] == 1 else p for s, p in zip(stems, paths, strict=True)]
    named = [t if t and tag_count[t] == 1 else f for t, f in zip(tags, files, strict=True)]
    distinct = len(set(named)) == len(named)
    return tuple(named if rule == "auto" and distinct else files)


def _stem(path: str) -> str:
    name = Path(path).name
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    return name
