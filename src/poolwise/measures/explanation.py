"""What a measure is, in words: for the command line, the docs and the curious."""

import re
from inspect import cleandoc, getdoc

from poolwise.measures.catalogue import CATALOGUE, Alias, Entry
from poolwise.measures.gains import DCG_FORMS, GAINS
from poolwise.measures.measure import Measure
from poolwise.measures.names import parse_measure

__all__ = ["PAPERS", "PARAMETERS", "catalogue_columns", "explain"]

PARAMETERS = {
    "T": "the gain that the reader hopes to find, in documents of the highest grade",
    "base": "the b of dcg='jk'",
    "beta": "weight of the second part against the first",
    "cost": "value of a document retrieved that is not relevant",
    "cutoff": "how many ranks are looked at",
    "dcg": "form of the gain and the discount",
    "gain": "how a grade becomes a gain",
    "missed": "value of a relevant document not retrieved",
    "mult": "the depth, as a multiple of R",
    "p": "chance to go on from one document to the next",
    "recall": "level of recall",
    "rel": "lowest grade that is relevant",
    "version": "version of trec_eval whose rounding is followed",
}
PAPERS = {
    "B23": "Fröbe, Gienapp, Potthast, Hagen: Bootstrapped nDCG estimation, ECIR 2023",
    "D10": "Webber, Moffat, Zobel: The effect of pooling and evaluation depth, EVIA 2010",
    "U18": "Moffat, Scholer, Yang: Estimating measurement uncertainty, JDIQ 2018",
    "W10": "Webber: Measurement in information retrieval evaluation, PhD thesis, 2010",
}


def explain(measure: Measure | str) -> str:
    """Return what a measure is: meaning, formula, parameters in force, unknowns, source, names.

    Examples
    --------
    >>> print(explain("P_10"))
    P@10
    <BLANKLINE>
    Precision: the share of the first k ranks that hold a relevant document.
    <BLANKLINE>
    Definition   P@k = (1/k) Σ_{i≤k} r_i
    Parameters   rel = 1: lowest grade that is relevant
                 cutoff = 10: how many ranks are looked at
    Unjudged     Unjudged documents have no gain in the score and the lower bound, and full gain in
                 the upper bound; no grading of them leaves these bounds.
    Source       W10 eq. 3.3
                 (W10: Webber: Measurement in information retrieval evaluation, PhD thesis, 2010)
    Also written precision
    """
    known = parse_measure(measure)
    sections = {
        "Definition": _wrap(known.definition),
        "Parameters": [_parameter(name, value) for name, value in known.parameters().items()],
        "Unjudged": _wrap(known.unknowns),
        "Undefined": [f"{known.undefined}: the score is left out of means"]
        if known.undefined
        else [],
        "Source": [known.citation, *_papers(known.citation + known.unknowns)],
        "Also written": _wrap(", ".join(_spellings(_entry(known)))),
    }
    rows = [_section(title, lines) for title, lines in sections.items() if any(lines)]
    return "\n".join([repr(known), "", _meaning(known), "", *rows])


def catalogue_columns() -> dict[str, list[str]]:
    """Return the catalogue as columns: measure, what it is, examples, other spellings.

    Examples
    --------
    >>> catalogue_columns()["measure"][:3]
    ['P', 'RBP', 'tRBP']
    """
    return {
        "measure": [entry.measure.name for entry in CATALOGUE],
        "meaning": [_summary(entry.measure) for entry in CATALOGUE],
        "examples": ["  ".join(entry.examples) for entry in CATALOGUE],
        "also written": ["  ".join(_spellings(entry)) for entry in CATALOGUE],
    }


def _entry(measure: Measure) -> Entry:
    return next(entry for entry in CATALOGUE if entry.measure.name == measure.name)


def _spellings(entry: Entry) -> list[str]:
    return [a.spelling if isinstance(a, Alias) else a for a in entry.aliases]


def _meaning(measure: Measure) -> str:
    return cleandoc(getdoc(type(measure)) or "").replace("``", "")


def _summary(measure: Measure) -> str:
    return _meaning(measure).split("\n")[0]


def _parameter(name: str, value: object) -> str:
    if value is None:
        return f"{name}: none; {PARAMETERS[name]}"
    meaning = {**GAINS, **DCG_FORMS}.get(str(value), PARAMETERS[name])
    return f"{name} = {value}: {meaning}"


def _papers(text: str) -> list[str]:
    """Spell out the short names of papers."""
    return [f"({k}: {PAPERS[k]})" for k in PAPERS if re.search(rf"\b{k}\b", text)]


def _wrap(text: str, width: int = 83) -> list[str]:
    """Break a paragraph into lines."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _section(title: str, lines: list[str]) -> str:
    indent = " " * 13
    return "\n".join(
        f"{title:<13}{line}" if not i else indent + line for i, line in enumerate(lines)
    )
