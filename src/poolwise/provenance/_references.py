"""What methods and measures come from: the papers, and how to cite them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from poolwise.version import RELEASE_YEAR, __version__

__all__ = ["REFERENCES", "Reference", "bibtex_of_poolwise", "cited_in", "used_by"]

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
        The commands that use the method, such as ``design``, and the options with their values,
        such as ``test=bootstrap``, or ``machine=`` for any value; what studies use, their table
        says.

    Examples
    --------
    >>> reference = Reference("article", "Holm, S.", "A Simple Procedure", 1979,
    ...                       {"journal": "A Journal", "pages": "65–70"})
    >>> reference.key, reference.in_words()
    ('holm1979simple', 'Holm: A Simple Procedure, 1979')
    >>> print(reference.bibtex())
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


_TOIS = {"journal": "ACM Transactions on Information Systems"}
_RELEVANCE_MODELS = ("static", "constant", "linear", "zipf", "weibull", "hybrid")


def _sigir(year: int, pages: str) -> dict[str, str]:
    name = "Annual International ACM SIGIR Conference on Research and Development in Information"
    # SIGIR counts from 1978, CIKM from 1992.
    return {"booktitle": f"Proc. {_ordinal(year - 1977)} {name} Retrieval", "pages": pages}


def _cikm(year: int, pages: str) -> dict[str, str]:
    name = "ACM International Conference on Information and Knowledge Management"
    return {"booktitle": f"Proc. {_ordinal(year - 1991)} {name}", "pages": pages}


def _ordinal(number: int) -> str:
    """Return 21st, 22nd, 23rd, 24th.

    Examples
    --------
    >>> [_ordinal(number) for number in (12, 21, 32, 25)]
    ['12th', '21st', '32nd', '25th']
    """
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _on(option: str, *values: str) -> tuple[str, ...]:
    """Return the uses of an option with each of some values."""
    return tuple(f"{option}={value}" for value in values)


REFERENCES: tuple[Reference, ...] = (
    Reference(
        "article",
        "Moffat, Alistair; Scholer, Falk; Yang, Ziying",
        "Estimating Measurement Uncertainty for Information Retrieval Effectiveness Metrics",
        2018,
        {"journal": "ACM Journal of Data and Information Quality", "volume": "10", "number": "3"},
        short="U18",
        uses=("residual=matched",),
    ),
    Reference(
        "inproceedings",
        "Lu, Xiaolu; Moffat, Alistair; Culpepper, J. Shane",
        "Modeling Relevance as a Function of Retrieval Rank",
        2016,
        {"booktitle": "Information Retrieval Technology", "pages": "3–15", "publisher": "Springer"},
        short="G16",
        uses=_on("treatment", *_RELEVANCE_MODELS),
    ),
    Reference(
        "inproceedings",
        "Webber, William; Moffat, Alistair; Zobel, Justin",
        "The Effect of Pooling and Evaluation Depth on Metric Stability",
        2010,
        {"booktitle": "Proc. Workshop on Evaluating Information Access (EVIA)", "pages": "7–15"},
        short="D10",
    ),
    Reference(
        "inproceedings",
        "Fröbe, Maik; Gienapp, Lukas; Potthast, Martin; Hagen, Matthias",
        "Bootstrapped nDCG Estimation in the Presence of Unjudged Documents",
        2023,
        {"booktitle": "Proc. European Conference on Information Retrieval (ECIR)"},
        short="B23",
        uses=(*_on("treatment", "bootstrap"), *_on("prior", "pool", "run", "pool+run")),
    ),
    Reference(
        "phdthesis",
        "Webber, William",
        "Measurement in Information Retrieval Evaluation",
        2010,
        {"school": "The University of Melbourne"},
        short="W10",
        uses=("design", "journal", "standardize", *_on("treatment", "bias-systems", "bias-topics")),
    ),
    Reference(
        "article",
        "Moffat, A.; Zobel, J.",
        "Rank-biased precision for measurement of retrieval effectiveness",
        2008,
        _TOIS | {"volume": "27", "number": "1", "pages": "2:1–2:27"},
        cited_as="Moffat and Zobel 2008",
    ),
    Reference(
        "article",
        "Järvelin, K.; Kekäläinen, J.",
        "Cumulated gain-based evaluation of IR techniques",
        2002,
        _TOIS | {"volume": "20", "number": "4", "pages": "422–446"},
        cited_as="Järvelin and Kekäläinen 2002",
    ),
    Reference(
        "inproceedings",
        "Chapelle, O.; Metzler, D.; Zhang, Y.; Grinspan, P.",
        "Expected reciprocal rank for graded relevance",
        2009,
        _cikm(2009, "621–630"),
        cited_as="Chapelle et al. 2009",
    ),
    Reference(
        "inproceedings",
        "Clarke, C. L. A.; Kolla, M.; Cormack, G. V.; Vechtomova, O.; Ashkan, A.; Büttcher, S.; "
        "MacKinnon, I.",
        "Novelty and diversity in information retrieval evaluation",
        2008,
        _sigir(2008, "659–666"),
        cited_as="Clarke et al. 2008",
    ),
    Reference(
        "inproceedings",
        "Sakai, T.",
        "New performance metrics based on multigrade relevance: Their application to question "
        "answering",
        2004,
        {"booktitle": "Proc. NII Testbeds and Community for Information Access Research (NTCIR)"},
        cited_as="Sakai 2004",
    ),
    Reference(
        "inproceedings",
        "Buckley, C.; Voorhees, E. M.",
        "Retrieval evaluation with incomplete information",
        2004,
        _sigir(2004, "25–32"),
        cited_as="Buckley and Voorhees 2004",
    ),
    Reference(
        "inproceedings",
        "Yilmaz, E.; Aslam, J. A.",
        "Estimating average precision with incomplete and imperfect judgments",
        2006,
        _cikm(2006, "102–111"),
        cited_as="Yilmaz and Aslam 2006",
    ),
    Reference(
        "inproceedings",
        "Yilmaz, E.; Kanoulas, E.; Aslam, J. A.",
        "A simple and efficient sampling method for estimating AP and NDCG",
        2008,
        _sigir(2008, "603–610"),
        cited_as="Yilmaz, Kanoulas and Aslam 2008",
    ),
    Reference(
        "inproceedings",
        "Sakai, T.",
        "Alternatives to Bpref",
        2007,
        _sigir(2007, "71–78"),
        uses=_on("treatment", "condensed"),
    ),
    Reference(
        "inproceedings",
        "Ravana, S. D.; Moffat, A.",
        "Score estimation, incomplete judgments, and significance testing in IR evaluation",
        2010,
        {"booktitle": "Proc. Asia Information Retrieval Societies Conference (AIRS)"}
        | {"pages": "97–109"},
        uses=_on("treatment", "background", "interpolation", "smoothing"),
    ),
    Reference(
        "inproceedings",
        "Webber, W.; Park, L. A. F.",
        "Score adjustment for correction of pooling bias",
        2009,
        _sigir(2009, "444–451"),
        uses=_on("treatment", "bias-systems", "bias-topics"),
    ),
    Reference(
        "inproceedings",
        "Smucker, M. D.; Allan, J.; Carterette, B.",
        "A comparison of statistical significance tests for information retrieval evaluation",
        2007,
        _cikm(2007, "623–632"),
        uses=_on("test", "randomization", "bootstrap"),
    ),
    Reference(
        "article",
        "Holm, S.",
        "A simple sequentially rejective multiple test procedure",
        1979,
        {"journal": "Scandinavian Journal of Statistics"}
        | {"volume": "6", "number": "2", "pages": "65–70"},
        uses=_on("correction", "holm"),
    ),
    Reference(
        "inproceedings",
        "Webber, W.; Moffat, A.; Zobel, J.",
        "Score standardization for inter-collection comparison of retrieval systems",
        2008,
        _sigir(2008, "51–58"),
        uses=("standardize",),
    ),
    Reference(
        "inproceedings",
        "Webber, W.; Moffat, A.; Zobel, J.",
        "Statistical power in retrieval experimentation",
        2008,
        _cikm(2008, "571–580"),
        uses=("power", "design", "journal"),
    ),
    Reference(
        "article",
        "Webber, W.; Moffat, A.; Zobel, J.",
        "A similarity measure for indefinite rankings",
        2010,
        _TOIS | {"volume": "28", "number": "4", "pages": "20:1–20:38"},
        uses=("similarity",),
    ),
    Reference(
        "inproceedings",
        "Yilmaz, E.; Aslam, J. A.; Robertson, S.",
        "A new rank correlation coefficient for information retrieval",
        2008,
        _sigir(2008, "587–594"),
        uses=_on("by", "tau_ap"),
    ),
    Reference(
        "inproceedings",
        "Zobel, J.",
        "How reliable are the results of large-scale information retrieval experiments?",
        1998,
        _sigir(1998, "307–314"),
    ),
    Reference(
        "inproceedings",
        "Buckley, C.; Voorhees, E.",
        "Evaluating evaluation measure stability",
        2000,
        _sigir(2000, "33–40"),
    ),
    Reference(
        "inproceedings",
        "Voorhees, E.; Buckley, C.",
        "The effect of topic set size on retrieval experiment error",
        2002,
        _sigir(2002, "316–323"),
    ),
    Reference(
        "inproceedings",
        "Sakai, T.",
        "Evaluating evaluation metrics based on the bootstrap",
        2006,
        _sigir(2006, "525–532"),
    ),
    Reference(
        "inproceedings",
        "Robertson, S.",
        "On GMAP: And other transformations",
        2006,
        _cikm(2006, "78–83"),
        uses=("average=geometric", "mean=geometric"),
    ),
    Reference(
        "inproceedings",
        "Ravana, S. D.; Moffat, A.",
        "Score aggregation techniques in retrieval experimentation",
        2009,
        {"booktitle": "Proc. 20th Australasian Database Conference", "pages": "59–67"},
        uses=(*_on("average", "geometric", "harmonic", "median"), "mean=geometric"),
    ),
    Reference(
        "inproceedings",
        "Carterette, B.; Allan, J.; Sitaraman, R. K.",
        "Minimal test collections for retrieval evaluation",
        2006,
        _sigir(2006, "268–275"),
        uses=_on("order", "mtc"),
    ),
    Reference(
        "inproceedings",
        "Cormack, G. V.; Palmer, C. R.; Clarke, C. L. A.",
        "Efficient construction of large test collections",
        1998,
        _sigir(1998, "282–289"),
        uses=_on("order", "move-to-front"),
    ),
    Reference(
        "inproceedings",
        "Aslam, J. A.; Pavlu, V.; Savell, R.",
        "A unified model for metasearch, pooling, and system evaluation",
        2003,
        _cikm(2003, "484–491"),
        uses=_on("order", "hedge"),
    ),
    Reference(
        "inproceedings",
        "Moffat, A.; Webber, W.; Zobel, J.",
        "Strategic system comparisons via targeted relevance judgments",
        2007,
        _sigir(2007, "375–382"),
        uses=_on("order", "rbp-residual", "rbp-even", "rbp-leaders"),
    ),
    Reference(
        "article",
        "Cohen, J.",
        "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial "
        "credit",
        1968,
        {"journal": "Psychological Bulletin", "volume": "70", "number": "4", "pages": "213–220"},
        uses=("agree",),
    ),
    Reference(
        "book",
        "Krippendorff, K.",
        "Content Analysis: An Introduction to Its Methodology",
        2004,
        {"publisher": "Sage", "edition": "2"},
        uses=("agree",),
    ),
    Reference(
        "article",
        "Angelopoulos, A. N.; Bates, S.; Fannjiang, C.; Jordan, M. I.; Zrnic, T.",
        "Prediction-powered inference",
        2023,
        {"journal": "Science", "volume": "382", "pages": "669–674"},
        uses=("label_author=", "machine="),
    ),
    Reference(
        "book",
        "Särndal, C.-E.; Swensson, B.; Wretman, J.",
        "Model Assisted Survey Sampling",
        1992,
        {"publisher": "Springer"},
        uses=("label_author=",),
    ),
    Reference(
        "inproceedings",
        "Armstrong, T. G.; Moffat, A.; Webber, W.; Zobel, J.",
        "Improvements that don't add up: ad-hoc retrieval results since 1998",
        2009,
        _cikm(2009, "601–610"),
        uses=("ledger",),
    ),
    Reference(
        "book",
        "Westfall, P. H.; Young, S. S.",
        "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment",
        1993,
        {"publisher": "Wiley", "address": "New York"},
        uses=("ledger", *_on("correction", "dunnett")),
    ),
    Reference(
        "article",
        "Lan, K. K. G.; DeMets, D. L.",
        "Discrete sequential boundaries for clinical trials",
        1983,
        {"journal": "Biometrika", "volume": "70", "number": "3", "pages": "659–663"},
        uses=("journal",),
    ),
)
"""Every publication that is known in full."""


def cited_in(text: str) -> tuple[Reference, ...]:
    """Return the publications that a text of the code cites, by short name or in words.

    Examples
    --------
    >>> [reference.key for reference in cited_in("Järvelin and Kekäläinen 2002; W10 eq. 3.12")]
    ['webber2010measurement', 'jarvelin2002cumulated']
    """
    return tuple(
        reference
        for reference in REFERENCES
        if (reference.short and re.search(rf"\b{reference.short}\b", text))
        or (reference.cited_as and reference.cited_as in text)
    )


def used_by(uses: Iterable[str]) -> tuple[Reference, ...]:
    """Return the publications of methods, by commands and by options with their values.

    Examples
    --------
    >>> [reference.key for reference in used_by(["compare", "test=bootstrap", "correction=holm"])]
    ['smucker2007comparison', 'holm1979simple']
    """
    wanted = set(uses)
    return tuple(reference for reference in REFERENCES if wanted & set(reference.uses))
