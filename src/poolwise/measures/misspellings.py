"""Which measure a misspelled name was meant to be."""

from collections.abc import Iterable

__all__ = ["closest", "edits"]


def edits(one: str, other: str) -> int:
    """Return how many letters must be put in, left out, changed or swapped with the next.

    Swapped letters are one slip of the hand, so they count once (optimal string alignment:
    Damerau 1964; Boytsov 2011, section 2).

    Examples
    --------
    >>> edits("ncdg", "ndcg"), edits("recal", "recall"), edits("mpa", "map"), edits("", "ap")
    (1, 1, 1, 2)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, above, row = row, before, [i]
        for j, theirs in enumerate(other, 1):
            changed = before[j - 1] + (letter != theirs)
            row.append(min(before[j] + 1, row[j - 1] + 1, changed))
            if i > 1 and j > 1 and (letter, theirs) == (other[j - 2], one[i - 2]):
                row[j] = min(row[j], above[j - 2] + 1)
    return row[-1]


def closest(typed: str, names: Iterable[str]) -> str | None:
    """Return the name that is fewest edits away, if a third of the letters or fewer are wrong.

    Of names as close as each other, one of the same letters is preferred, then one that begins
    alike, then the first. Capitals do not matter.

    Examples
    --------
    >>> closest("ncdg", ["Unjudged", "nDCG", "DCG"]), closest("clicks", ["nDCG", "AP"])
    ('nDCG', None)
    """
    word = typed.lower()
    away = [(*_distance(word, name.lower()), name) for name in names]
    near = [one for one in away if one[0] <= max(1, len(word) // 3)]
    return min(near, key=lambda one: one[:3])[3] if word and near else None


def _distance(word: str, name: str) -> tuple[int, bool, bool]:
    return edits(word, name), sorted(word) != sorted(name), word[:1] != name[:1]
