"""Every format of judgments there is: one entry each, which command, help and tests read."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from poolwise.collection.files._sources import read_text
from poolwise.collection.formats import _json_formats as of_json
from poolwise.collection.formats import _line_formats as of_lines
from poolwise.collection.formats._ratings import Ratings
from poolwise.collection.formats._rows import MemoryBytes, number_text
from poolwise.errors import InputError

__all__ = ["FORMATS", "Format", "of_tool", "recognised"]


@dataclass(frozen=True)
class Format:
    """How judgments are read and written, and what the format can hold.

    Attributes
    ----------
    summary : str
        What it is, in a few words.
    read : callable
        Path to ratings.
    write : callable
        Ratings and the name of an index or book to text.
    sign : str
        A regular expression that its beginning matches, and no other format's; empty for none.
    by_text : bool
        Whether it knows a query by its text, and has no topic ids.
    judges, negative, fractions, sampling : bool
        Whether it holds grades of several assessors, negative grades (pooled, not judged), grades
        that are not whole, and strata and probabilities.
    """

    summary: str
    read: Callable[[str], Ratings]
    write: Callable[[Ratings, str], str]
    sign: str = ""
    by_text: bool = False
    judges: bool = False
    negative: bool = False
    fractions: bool = True
    sampling: bool = False


FORMATS = {
    "trec": Format(
        "TREC qrels; of a sample five columns or prels, by what is known of it",
        of_lines.read_trec,
        of_lines.write_trec,
        negative=True,
        sampling=True,
    ),
    "csv": Format(
        "CSV with topic, document and grade",
        of_lines.read_csv,
        of_lines.write_csv,
        sign=r"[^\s{\[][^\n]*,",
        judges=True,
        negative=True,
        sampling=True,
    ),
    "jsonl": Format(
        "a JSON object on each line",
        of_lines.read_jsonl_ratings,
        of_lines.write_jsonl_ratings,
        sign=r"\{.*\}\s*(\n|$)",
        judges=True,
        negative=True,
        sampling=True,
    ),
    "quepid-csv": Format(
        "CSV of a Quepid case or book",
        of_lines.read_quepid_csv,
        of_lines.write_quepid_csv,
        sign=r"query(_text| text)?,doc_?id\b",
        by_text=True,
    ),
    "quepid-book": Format(
        "JSON of a Quepid book",
        of_json.read_quepid_book,
        of_json.write_quepid_book,
        sign=r'\{[\s\S]*"query_doc_pairs"',
        by_text=True,
        judges=True,
    ),
    "opensearch": Format(
        "OpenSearch's judgmentRatings",
        of_json.read_opensearch,
        of_json.write_opensearch,
        sign=r'\{[\s\S]*"judgmentRatings"',
        by_text=True,
    ),
    "elasticsearch": Format(
        "a request to Elasticsearch's _rank_eval",
        of_json.read_elasticsearch,
        of_json.write_elasticsearch,
        sign=r'\{[\s\S]*"requests"\s*:\s*\[',
        fractions=False,
    ),
    "rre": Format(
        "ratings of RRE",
        of_json.read_rre,
        of_json.write_rre,
        sign=r'\{[\s\S]*"relevant_documents"',
    ),
    "doccano": Format(
        "JSONL of doccano",
        of_lines.read_doccano,
        of_lines.write_doccano,
        sign=r'\{.*"labels?"\s*:\s*\[.*\}\s*(\n|$)',
        negative=True,
    ),
}
"""The formats by name."""

# The most particular signs first.
_BY_SIGN = (
    *("quepid-book", "opensearch", "elasticsearch", "rre", "doccano", "jsonl"),
    *("quepid-csv", "csv"),
)


def recognised(path: str) -> str:
    r"""Return the format of a file by how it begins; ``trec`` where nothing else fits.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("query,docid,rating\nred dress,d1,3\n")
    ...     file.flush()
    ...     recognised(file.name)
    'quepid-csv'
    """
    if path == "-":
        rule = "standard input can be read once, so that its format is not looked for"
        raise InputError(path, rule, remedy="say what it is: source='trec' or --from trec")
    text = read_text(path).removeprefix("\ufeff").lstrip()
    signs = ((name, FORMATS[name].sign) for name in _BY_SIGN)
    return next((name for name, sign in signs if re.match(sign, text, re.IGNORECASE)), "trec")


_WHOLE = ("quepid-book", "opensearch", "elasticsearch", "rre")
_BY_LINE = ("doccano",)
"""Formats of JSON and of JSONL whose files could be taken for nothing else."""


def of_tool(path: str, *, whole: bool) -> MemoryBytes | None:
    """Return the judgments of a file that a search or an annotation tool wrote; None of others.

    A document that several people graded differently is an error, which names the remedy.

    Parameters
    ----------
    path
        The file.
    whole
        Whether it is one JSON value, or has one on each line.
    """
    form = recognised(path)
    if form not in (_WHOLE if whole else _BY_LINE):
        return None
    ratings = FORMATS[form].read(path).one_each("error")
    entries = ((e.topic, e.document, number_text(e.grade)) for e in ratings.entries)
    return MemoryBytes(path, [*zip(*entries, strict=True)], notices=ratings.lost)
