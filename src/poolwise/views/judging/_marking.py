"""The words of a query, found again in a text."""

import re
import unicodedata
from functools import lru_cache

__all__ = ["by_query", "query_words"]

_WORD = re.compile(r"[^\W_]+")
_LONGEST = 200_000
"""Characters of a text in which words are looked for: nobody reads further by their marks."""
_WORDS = """
a an and are as at be by can did do does for from had has have he her his how i if in is it its me
my no not of on or our she so than that the their them then there these they this to was we were
what when where which who whom whose why will with you your
"""
_COMMON = frozenset(_WORDS.split())
"""Words that say nothing of what is sought."""


def query_words(query: str) -> frozenset[str]:
    """Return the words of a query that are worth marking, as they are compared.

    Examples
    --------
    >>> sorted(query_words("What is the habitat of Owls?"))
    ['habitat', 'owl']
    >>> sorted(query_words("the who"))
    ['the', 'who']
    """
    every = {_folded(match[0]) for match in _WORD.finditer(query)}
    return frozenset(every - _COMMON or every)


@lru_cache(maxsize=65_536)  # a text has each of its words many times
def _folded(word: str) -> str:
    """Return a word without case, accents, and the s of a plural."""
    apart = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    is_plural = len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss")
    return plain[:-1] if is_plural else plain


def by_query(text: str, words: frozenset[str]) -> list[str]:
    """Split a text where words of a query stand: every second part is one of them.

    Examples
    --------
    >>> by_query("An owl hoots. Owls!", query_words("owls"))
    ['An ', 'owl', ' hoots. ', 'Owls', '!']
    """
    parts, end = [], 0
    for match in _WORD.finditer(text, 0, _LONGEST):
        if _folded(match[0]) in words:
            parts += [text[end : match.start()], match[0]]
            end = match.end()
    return [*parts, text[end:]]
