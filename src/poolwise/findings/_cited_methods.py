"""What to cite for a result: the publications of its measures, tests and other methods."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from poolwise.errors import MeasureError
from poolwise.measures._names import parse_measure
from poolwise.provenance._recorded import recorded
from poolwise.provenance._references import (
    REFERENCES,
    Reference,
    bibtex_of_poolwise,
    cited_in,
    used_by,
)
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["CitedMethods", "methods_cited"]

_YEAR = re.compile(r"\b(19|20)\d\d\b")


@finding
class CitedMethods(Finding):
    """The publications of the methods that made a result, and what each is cited for.

    Attributes
    ----------
    references : mapping from Reference to tuple of str
        What each publication is cited for: measures, commands, and options with their values.
    without_entry : tuple of str
        Measures whose source is known by name alone, with that name.

    Examples
    --------
    >>> methods = methods_cited({"command": ["compare"], "options": {"measure": ["RBP(p=0.8)"]}})
    >>> [reference.key for reference in methods.references]
    ['moffat2018estimating', 'webber2010effect', 'moffat2008rankbiased']
    >>> methods.bibtex().count("@")
    4
    """

    references: Mapping[Reference, tuple[str, ...]]
    without_entry: tuple[str, ...] = ()

    def bibtex(self) -> str:
        """Return the entries for BibTeX, that of poolwise first."""
        return "\n\n".join(
            [bibtex_of_poolwise(), *(reference.bibtex() for reference in self.references)]
        )

    def columns(self) -> Columns:
        """Return one row per publication."""
        references = list(self.references)
        return {
            "key": [reference.key for reference in references],
            "authors": [reference.authors for reference in references],
            "title": [reference.title for reference in references],
            "year": [reference.year for reference in references],
            "cited_for": [", ".join(reasons) for reasons in self.references.values()],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say how many publications there are, what for, and what has to be looked up."""
        number = counted(len(self.references), "publication")
        return (
            f"Cite poolwise and, for the methods of the result, {number}.",
            *(
                f"{reference.key} is cited for {', '.join(why)}."
                for reference, why in self.references.items()
            ),
            *(f"No entry is on file for {name}." for name in self.without_entry),
        )


@recorded
def methods_cited(
    record: Mapping[str, Any], *, papers: Mapping[str, Iterable[str]] | None = None
) -> CitedMethods:
    """Return the publications of the methods that a provenance names.

    Parameters
    ----------
    record
        What made a result: its command and its options, as :func:`~poolwise.results.find_record`
        reads them.
    papers : mapping from str to iterable of str, optional
        Keys of further publications by command, such as those of studies.

    Returns
    -------
    CitedMethods
        The publications in the order of the bibliography.

    Examples
    --------
    >>> record = {"command": ["study", "swaps"], "options": {}}
    >>> print(*methods_cited(record, papers={"study swaps": ["voorhees2002effect"]}).sentences())
    Cite poolwise and, for the methods of the result, 1 publication. voorhees2002effect is cited for
    poolwise study swaps.
    """
    options = {name: _texts(value) for name, value in record.get("options", {}).items()}
    reasons: dict[Reference, list[str]] = {}
    for use, words in _uses(record.get("command", ()), options):
        keys = set((papers or {}).get(use, ()))
        for reference in (
            *used_by([use]),
            *(reference for reference in REFERENCES if reference.key in keys),
        ):
            reasons.setdefault(reference, []).append(words)
    missing = []
    for name, source in _sources(options.get("measure", ())):
        for reference in cited_in(source):
            reasons.setdefault(reference, []).append(name)
        missing += [f"{name}: {part}" for part in source.split("; ") if _is_unknown(part)]
    cited = {reference: tuple(dict.fromkeys(why)) for reference, why in _in_order(reasons)}
    return CitedMethods(cited, tuple(dict.fromkeys(missing)))


def _texts(value: Any) -> tuple[str, ...]:
    """Return the texts of an option, which may have one value or several."""
    several = value if isinstance(value, list | tuple) else [value]
    return tuple(text for text in several if isinstance(text, str))


def _uses(
    command: Iterable[Any], options: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """Go through the command and its options, each as the bibliography has it and in words."""
    words = [str(word) for word in command if not str(word).startswith("-")]
    name = " ".join(words[: 2 if words[:1] == ["study"] else 1])
    yield name, f"poolwise {name}"
    for option, values in options.items():
        # Some methods come with an option whatever its value is, such as a file.
        yield f"{option}=", f"--{option}"
        for value in values:
            chosen = value.partition("(")[0]
            yield f"{option}={chosen}", f"--{option} {chosen}"


def _sources(measures: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Go through the measures with what they cite; names of others' scores cite nothing."""
    for name in measures:
        try:
            yield name, parse_measure(name).citation
        except MeasureError:
            continue


def _is_unknown(source: str) -> bool:
    """Say whether a source is a publication of which no more is known than authors and year."""
    return bool(_YEAR.search(source)) and not cited_in(source)


def _in_order(reasons: dict[Reference, list[str]]) -> Iterator[tuple[Reference, list[str]]]:
    yield from sorted(reasons.items(), key=lambda item: REFERENCES.index(item[0]))
