"""What a measure is, in words: for the command line, the docs and the curious."""

from collections.abc import Mapping
from inspect import cleandoc, getdoc
from textwrap import fill, wrap

from poolwise.measures._catalogue import CATALOGUE, Alias, Entry
from poolwise.measures._diversity import DIVERSITY
from poolwise.measures._measure import DCG_FORMS, GAINS, Measure
from poolwise.measures._names import parse_measure
from poolwise.measures.sampled._catalogue import SAMPLED
from poolwise.measures.sampled._inferred import VARIANTS
from poolwise.provenance._recorded import recorded
from poolwise.provenance._references import cited_in
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.results._layout import GAP, render
from poolwise.results._tables import Column, Table
from poolwise.words import counted

__all__ = ["PARAMETERS", "Explanation", "MeasureList", "explain", "list_measures"]

_WIDTH = 100
"""Characters of a line."""


PARAMETERS = {
    "T": "the gain that the reader hopes to find, in documents of the highest grade",
    "alpha": "how much less each further document about the same subtopic is worth",
    "base": "the b of dcg='jk'",
    "beta": "weight of the second part against the first",
    "cost": "value of a document retrieved that is not relevant",
    "cutoff": "how many ranks are looked at",
    "dcg": "form of the gain and the discount",
    "gain": "how a grade becomes a gain",
    "max_rel": "the highest grade there can be; by default that of the collection's scale",
    "missed": "value of a relevant document not retrieved",
    "mult": "the depth, as a multiple of R",
    "of": "the measure that is estimated",
    "p": "chance to go on from one document to the next",
    "top": "the highest grade there can be, declared; by default that of the collection's scale",
    "recall": "level of recall",
    "rel": "lowest grade that is relevant",
    "variant": "what becomes of topics with more relevant documents than a run may retrieve",
    "version": "version of trec_eval whose rounding is followed",
}


@finding
class Explanation(Finding):
    """What a measure is: meaning, formula, parameters in force, unknowns, source, names.

    Attributes
    ----------
    measure : Measure
    meaning : str
        What it measures, in words.
    parts : mapping from str to tuple of str
        Lines of text by what they are about: Definition, Parameters, Unjudged, Undefined, Source,
        Also written. Parts that have nothing to say are left out.

    Examples
    --------
    >>> explanation = explain("RBP(p=0.8)")
    >>> explanation.measure, list(explanation.parts)
    (RBP(p=0.8), ['Definition', 'Parameters', 'Unjudged', 'Source', 'Also written'])
    >>> explanation.parts["Definition"][0]
    'RBP = (1 − p) Σ_i g_i p^(i−1)'
    """

    measure: Measure
    meaning: str
    parts: Mapping[str, tuple[str, ...]]

    def answer(self) -> str:
        """Return nothing: the parts are the answer."""
        return ""

    def columns(self) -> Columns:
        """Return one row per line of text, with the part it belongs to."""
        rows = [(part, line) for part, lines in self.parts.items() for line in lines]
        return {"part": [part for part, _ in rows], "text": [line for _, line in rows]}

    def tables(self) -> tuple[Table, ...]:
        """Return the parts, each named on its first line, wrapped to the width of a page."""
        return (self._table(_WIDTH),)

    def text(self, width: int = _WIDTH) -> str:
        r"""Return the explanation in lines of at most so many characters.

        Examples
        --------
        >>> print("\n".join(explain("SP").text(46).splitlines()[2:5]))
        Definition  SP@k = Σ_{i≤k} r_i P@i
        Parameters  rel = 1: lowest grade that is
                    relevant
        """
        return f"{render(self._table(width))}\n\n{fill(self.meaning, width)}"

    def _table(self, width: int) -> Table:
        beside = width - max(map(len, self.parts)) - GAP
        rows = []
        for part, lines in self.parts.items():
            wrapped = [piece for line in lines for piece in wrap(line, beside)]
            rows += [(part if i == 0 else "", piece) for i, piece in enumerate(wrapped)]
        return Table((Column(""), Column("")), tuple(rows), title=str(self.measure))

    def sentences(self) -> tuple[str, ...]:
        """Say what the measure is."""
        return (self.meaning,)


@recorded
def explain(measure: Measure | str) -> Explanation:
    """Say what a measure is, with every parameter in force.

    Parameters
    ----------
    measure : Measure or str
        A measure or its name, in any spelling that :func:`~poolwise.parse_measure` reads.

    Returns
    -------
    Explanation
        Meaning, formula, parameters, what becomes of unjudged documents, source and other names.

    Examples
    --------
    >>> print(explain("P_10"))
    P@10
    <BLANKLINE>
    Definition    P@k = (1/k) Σ_{i≤k} r_i
    Parameters    rel = 1: lowest grade that is relevant
                  cutoff = 10: how many ranks are looked at
    Unjudged      Unjudged documents have no gain in the score and the lower bound, and that of the
                  highest grade in the upper bound; no assignment of grades leaves these bounds, and
                  some reach them.
    Source        W10 eq. 3.3
                  W10: Webber: Measurement in Information Retrieval Evaluation, PhD thesis, 2010
    Also written  precision, prec
    <BLANKLINE>
    Precision: the share of the first k ranks that hold a relevant document.
    """
    parsed = parse_measure(measure)
    left_out = f"{parsed.undefined}: the score is left out of means" if parsed.undefined else ""
    parts: dict[str, list[str]] = {
        "Definition": [parsed.definition],
        "Parameters": [_parameter(name, value) for name, value in parsed.parameters().items()],
        "Unjudged": [parsed.unknowns],
        "Undefined": [left_out],
        "Source": [parsed.citation, *_papers(parsed.citation + parsed.unknowns)],
        "Also written": [", ".join(_spellings(_entry(parsed)))],
    }
    sections = {part: tuple(filter(None, lines)) for part, lines in parts.items()}
    return Explanation(
        parsed, _meaning(parsed), {p: lines for p, lines in sections.items() if lines}
    )


@finding
class MeasureList(Finding):
    """The measures of the catalogue.

    Attributes
    ----------
    entries : tuple of Entry
        Each with its measure, names that show its parameters at work, and other spellings.

    Examples
    --------
    >>> entry = list_measures().entries[0]
    >>> str(entry.measure), list_measures().columns()["measure"][0]
    ('P', 'P')
    """

    entries: tuple[Entry, ...]

    def columns(self) -> Columns:
        """Return one row per measure: its name, what it is, examples, other spellings."""
        return {
            "measure": [entry.measure.name for entry in self.entries],
            "meaning": [_summary(entry.measure) for entry in self.entries],
            "examples": ["  ".join(entry.examples) for entry in self.entries],
            "also_written": ["  ".join(_spellings(entry)) for entry in self.entries],
        }

    def tables(self) -> tuple[Table, ...]:
        """Return a name that can be typed for each, and its meaning, which goes last of all."""
        columns = self.columns()
        first = [entry.examples[0] for entry in self.entries]
        others = ["  ".join(entry.examples[1:]) for entry in self.entries]
        cells = {
            Column("measure"): columns["measure"],
            Column("example"): first,
            Column("with parameters", rank=2): others,
            Column("also written", rank=1): columns["also_written"],
            Column("meaning"): columns["meaning"],
        }
        return (Table.by_column(cells),)

    def sentences(self) -> tuple[str, ...]:
        """Say how many there are, and how to read more about one."""
        return (
            f"There are {counted(len(self.entries), 'measure')}.",
            "`poolwise explain MEASURE` says more about one.",
        )


def list_measures() -> MeasureList:
    """Return the catalogue of measures.

    Returns
    -------
    MeasureList
        Every measure that poolwise knows by name, in the order of the catalogue.

    Examples
    --------
    >>> list_measures().columns()["measure"][:3]
    ['P', 'Hits', 'RBP']
    """
    return MeasureList((*CATALOGUE, *SAMPLED, *DIVERSITY))


def _entry(measure: Measure) -> Entry:
    """Return the entry of the catalogue; a user's own measure has one without other names."""
    own = Entry(measure, (str(measure),))
    entries = (*CATALOGUE, *SAMPLED, *DIVERSITY)
    return next((entry for entry in entries if entry.measure.name == measure.name), own)


def _spellings(entry: Entry) -> list[str]:
    return [a.spelling if isinstance(a, Alias) else a for a in entry.aliases]


def _meaning(measure: Measure) -> str:
    return " ".join(cleandoc(getdoc(type(measure)) or "").replace("``", "").split())


def _summary(measure: Measure) -> str:
    return cleandoc(getdoc(type(measure)) or "").replace("``", "").split("\n")[0]


def _parameter(name: str, value: object) -> str:
    about = PARAMETERS.get(name, "a parameter of this measure")
    if value is None:
        return f"{name}: none; {about}"
    meaning = {**GAINS, **DCG_FORMS, **VARIANTS}.get(str(value), about)
    return f"{name} = {value}: {meaning}"


def _papers(text: str) -> list[str]:
    """Spell out the short names of papers."""
    return [
        f"{reference.short}: {reference.in_words()}"
        for reference in cited_in(text)
        if reference.short
    ]
