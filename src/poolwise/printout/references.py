"""A source of a method, and how BibTeX writes it."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from poolwise.version import RELEASE_YEAR, __version__

__all__ = ["Reference", "bibtex_of_poolwise"]

_LITTLE_WORDS = frozenset({"a", "an", "the", "on", "how"})
_ACCENTS = {"\u0308": '\\"', "\u0301": "\\'", "\u0300": "\\`", "\u0302": "\\^", "\u0303": "\\~"}
"""Marks that follow their letter once a character is taken apart, and what LaTeX writes before."""


@dataclass(frozen=True)
class Reference:
    r"""One publication.

    Attributes
    ----------
    kind : str
        The type of entry that BibTeX knows: article, inproceedings, phdthesis or book.
    authors : str
        Family name, comma, given names; a semicolon between authors.
    title, year : str, int
        As published.
    fields : mapping from str to str
        The journal or the proceedings, volume, number, pages, by the names of BibTeX.
    short : str
        The letters by which the code cites it, such as W10; empty for most.
    cited_as : str
        How the code cites it in words, such as ``Moffat and Zobel 2008``.
    uses : tuple of str
        The commands that use the method, such as ``study swaps``, and the options with their
        values, such as ``test=bootstrap``.

    Examples
    --------
    >>> found = Reference("article", "Holm, S.", "A Simple Procedure", 1979,
    ...                   {"journal": "A Journal", "pages": "65–70"})
    >>> found.key, found.in_words()
    ('holm1979simple', 'Holm: A Simple Procedure, 1979')
    >>> print(found.bibtex())
    @article{holm1979simple,
      author = {Holm, S.},
      title = {{A Simple Procedure}},
      journal = {A Journal},
      pages = {65--70},
      year = {1979},
    }
    """

    kind: str
    authors: str
    title: str
    year: int
    fields: Mapping[str, str] = field(hash=False)
    short: str = ""
    cited_as: str = ""
    uses: tuple[str, ...] = ()

    @property
    def families(self) -> list[str]:
        """The family names of the authors."""
        return [author.partition(",")[0].strip() for author in self.authors.split(";")]

    @property
    def key(self) -> str:
        """The name of the entry: family name, year, and the first word of the title that says much.

        Examples
        --------
        >>> Reference("article", "Järvelin, K.", "The Gain of IR", 2002, {}).key
        'jarvelin2002gain'
        """
        words = [word for word in self.title.lower().split() if word not in _LITTLE_WORDS]
        return "".join(filter(str.isalnum, _ascii(f"{self.families[0]}{self.year}{words[0]}")))

    def in_words(self) -> str:
        """Return the authors, the title, where it was published if a word says it, and the year."""
        place = {"phdthesis": "PhD thesis, "}.get(self.kind, "")
        return f"{', '.join(self.families)}: {self.title}, {place}{self.year}"

    def bibtex(self) -> str:
        """Return the entry."""
        authors = " and ".join(author.strip() for author in self.authors.split(";"))
        fields = {
            "author": _latex(authors),
            "title": f"{{{_latex(self.title)}}}",
            **{name: _latex(text) for name, text in self.fields.items()},
            "year": str(self.year),
        }
        return _entry(self.kind, self.key, fields)


def bibtex_of_poolwise() -> str:
    """Return the entry of poolwise itself, in the version that is installed.

    Examples
    --------
    >>> bibtex_of_poolwise().splitlines()[:2]
    ['@misc{poolwise,', '  author = {{The poolwise developers}},']
    """
    title = "poolwise: retrieval evaluation with incomplete relevance judgments"
    fields = {
        "author": "{The poolwise developers}",
        "title": f"{{{title}}}",
        "note": f"Software, version {__version__}",
        "year": str(RELEASE_YEAR),
    }
    return _entry("misc", "poolwise", fields)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = (f"  {name} = {{{text}}}," for name, text in fields.items())
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _ascii(text: str) -> str:
    """Return the text without accents, in small letters."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def _latex(text: str) -> str:
    r"""Return the text in ASCII, with accents and dashes as LaTeX writes them.

    Examples
    --------
    >>> _latex("Järvelin 422–446 & Fröbe")
    'J{\\"a}rvelin 422--446 \\& Fr{\\"o}be'
    """
    plain = text.replace("–", "--").replace("&", "\\&")
    return "".join(map(_letter, plain))


def _letter(character: str) -> str:
    apart = unicodedata.normalize("NFD", character)
    accent = _ACCENTS.get(apart[1:])
    return f"{{{accent}{apart[0]}}}" if accent else character
