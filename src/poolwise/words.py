"""How numbers, names and sentences are written: one way for each, with what a sentence claims."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, Self

__all__ = [
    "LONGEST_PLAIN",
    "Askable",
    "Said",
    "Told",
    "are",
    "claim_attribute",
    "claims_of",
    "claims_text",
    "compressed",
    "counted",
    "decimal",
    "decompressed",
    "have",
    "in_brackets",
    "named",
    "outcome_words",
    "p_text",
    "p_words",
    "range_text",
    "range_texts",
    "retold",
    "said_by_measure",
    "signed",
    "visible",
]

UNKNOWN = "–"
"""What stands where there is no number."""

_SMALLEST_P = 0.0001


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where that is due.

    Examples
    --------
    >>> counted(1, "run"), counted(1200, "topic"), counted(2, "loss"), counted(0, "query")
    ('1 run', '1,200 topics', '2 losses', '0 queries')
    """
    return f"{number:,} {noun if number == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def are(number: int) -> str:
    """Return the verb for so many: is, or are.

    Examples
    --------
    >>> are(1), are(0)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def have(number: int) -> str:
    """Return the verb for so many: has, or have."""
    return "has" if number == 1 else "have"


def outcome_words(wins: int, ties: int, losses: int) -> str:
    """Return on how many topics one system is above, level with and below another.

    Examples
    --------
    >>> outcome_words(3, 1, 0)
    '3 wins, 1 tie, 0 losses'
    """
    return ", ".join((counted(wins, "win"), counted(ties, "tie"), counted(losses, "loss")))


def named(names: Sequence[str], *, most: int = 5) -> str:
    """Return the first names with commas between them, and how many more there are.

    Examples
    --------
    >>> named(["a", "b", "c"]), named(["a", "b", "c"], most=2), named([])
    ('a, b, c', 'a, b and 1 more', '')
    """
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def said_by_measure(sentences: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return what is said of each measure, once; what is so by some alone is said of these.

    Examples
    --------
    >>> said_by_measure({"AP": ["All is judged."], "RR": ["All is judged.", "Lists are short."]})
    ('All is judged.', 'RR: Lists are short.')
    """
    measures: dict[str, list[str]] = {}
    for measure, of_one in sentences.items():
        for said in of_one:
            measures.setdefault(said, []).append(measure)
    return tuple(
        said
        if len(by) == len(sentences) or by == [name for name in by if name in said]
        else retold(said, f"{named(by, most=8)}: {{}}".format)
        for said, by in measures.items()
    )


def p_text(p: float | None) -> str:
    """Return a p value for a table: never 0, since no p value is.

    Examples
    --------
    >>> p_text(0.04321), p_text(1e-9), p_text(float("nan"))
    ('0.0432', '<0.0001', '–')
    """
    if p is None or math.isnan(p):
        return UNKNOWN
    return f"{p:.4f}" if p >= _SMALLEST_P else f"<{_SMALLEST_P:.4f}"


def p_words(p: float) -> str:
    """Return a p value for a sentence.

    Examples
    --------
    >>> p_words(0.04321), p_words(1e-9)
    ('p = 0.0432', 'p < 0.0001')
    """
    text = p_text(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def range_text(low: float, high: float, *, digits: int = 4, sign: str = "") -> str:
    """Return the two ends of a range, or a dash where it is not known.

    Examples
    --------
    >>> range_text(-0.1, 0.25), range_text(-0.1, 0.25, digits=2, sign="+")
    ('−0.1000 to 0.2500', '−0.10 to +0.25')
    >>> range_text(float("nan"), 0.25)
    '–'
    """
    if math.isnan(low) or math.isnan(high):
        return UNKNOWN
    ends = (decimal(end, digits=digits, sign=sign) for end in (low, high))
    return " to ".join(ends)


def in_brackets(low: float, high: float) -> str:
    """Return a range in brackets, to stand behind a number; nothing where it is not known.

    Examples
    --------
    >>> in_brackets(0.1, 0.25), in_brackets(float("nan"), 0.25)
    (' (0.1000 to 0.2500)', '')
    """
    return "" if math.isnan(low) or math.isnan(high) else f" ({range_text(low, high)})"


def range_texts(lows: Iterable[float], highs: Iterable[float], *, digits: int = 4) -> list[str]:
    """Return ranges from their lower and their upper ends.

    Examples
    --------
    >>> range_texts([0.1, 0.2], [0.3, float("nan")], digits=1)
    ['0.1 to 0.3', '–']
    """
    return [range_text(low, high, digits=digits) for low, high in zip(lows, highs, strict=True)]


def signed(number: float, *, digits: int = 4) -> str:
    """Return a difference with its sign.

    Examples
    --------
    >>> signed(0.25), signed(-0.5, digits=2), signed(float("nan"))
    ('+0.2500', '−0.50', '–')
    """
    return decimal(number, digits=digits, sign="+")


def decimal(number: float, *, digits: int = 4, sign: str = "") -> str:
    """Return a number as tables and sentences write it, with the minus of print.

    Examples
    --------
    >>> decimal(0.25), decimal(-0.5, digits=2), decimal(float("nan"))
    ('0.2500', '−0.50', '–')
    """
    return UNKNOWN if math.isnan(number) else f"{number:{sign}.{digits}f}".replace("-", "−")


# Controls (C0, DEL, C1), marks that turn the direction of writing, and bytes that are not UTF-8.
_UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_BYTES_AS_TEXT = range(0xDC80, 0xDD00)
"""Code points that stand for bytes which are not UTF-8 (PEP 383)."""


def visible(text: str) -> str:
    r"""Return text that a terminal only shows: what would command it is written as an escape.

    Ids and tags come from files that anybody may have written. Tabs and line ends stay.

    Examples
    --------
    >>> visible("bm25"), visible("\x1b[2Jbm25"), visible("caf\udce9")
    ('bm25', '\\x1b[2Jbm25', 'caf\\xe9')
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNSEEN, lambda match: _escape(ord(match[0])), text)


def _escape(code: int) -> str:
    code = code - 0xDC00 if code in _BYTES_AS_TEXT else code
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Told(Protocol):
    """What has plain values."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""


class Askable(Told, Protocol):
    """A claim, as far as showing it needs to know."""

    @property
    def grounds(self) -> Told:
        """What it is about; the same for many claims."""


class Said(str):  # noqa: SLOT000 -- a text of any length cannot have slots
    """A sentence with the claims that it words: a text wherever a text is wanted.

    Attributes
    ----------
    claims : tuple of Claim
        What can be asked whether it holds.

    Examples
    --------
    >>> said = Said("bm25 leads.", ())
    >>> said == "bm25 leads.", said.claims
    (True, ())
    """

    claims: tuple[Askable, ...]

    def __new__(cls, text: str, claims: Iterable[Askable] = ()) -> Self:
        """Make it of a text and its claims."""
        made = super().__new__(cls, text)
        made.claims = tuple(claims)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild it with its claims in another process."""
        return Said, (str(self), self.claims)


def claims_of(sentences: Iterable[str]) -> tuple[Askable, ...]:
    """Return all that some sentences claim, each claim once, in their order."""
    claims = (claim for text in sentences for claim in getattr(text, "claims", ()))
    return tuple(dict.fromkeys(claims))


def claims_text(claims: Iterable[Askable]) -> str:
    """Write claims as JSON, and what they are about once for all that share it."""
    import json  # noqa: PLC0415, late: most results claim nothing

    numbers: dict[Told, int] = {}
    rows = [
        claim.to_dict() | {"grounds": numbers.setdefault(claim.grounds, len(numbers))}
        for claim in claims
    ]
    content = {"claims": rows, "grounds": [grounds.to_dict() for grounds in numbers]}
    return json.dumps(content, ensure_ascii=False)


def retold(sentence: str, change: Callable[[str], str]) -> str:
    """Return a sentence changed in its letters alone: it claims what it did.

    Examples
    --------
    >>> retold(Said("a leads", ()), lambda text: f"{text}.")
    'a leads.'
    """
    changed = change(sentence)
    return Said(changed, sentence.claims) if isinstance(sentence, Said) else changed


LONGEST_PLAIN = 1 << 16
"""Letters of JSON in a page from which on they are compressed."""


def compressed(text: str) -> str:
    """Return a text compressed (zlib), as letters (base64): a fifth or so of long JSON.

    Examples
    --------
    >>> decompressed(compressed("[1,2]"))
    '[1,2]'
    """
    from base64 import b64encode  # noqa: PLC0415, late: few pages are so large
    from zlib import DEFLATED, MAX_WBITS, Z_FILTERED, compressobj  # noqa: PLC0415

    # JSON of numbers, where short repetitions are chance: as small as by level 9, in a fifth of the
    # time.
    packing = compressobj(6, DEFLATED, MAX_WBITS, 9, Z_FILTERED)
    return b64encode(packing.compress(text.encode()) + packing.flush()).decode()


def decompressed(text: str) -> str:
    """Return what :func:`compressed` was given."""
    from base64 import b64decode  # noqa: PLC0415, late: few pages are so large
    from zlib import decompress  # noqa: PLC0415

    return decompress(b64decode(text)).decode()


def claim_attribute(sentence: object) -> str:
    """Return the attribute by which an element of HTML carries the claims of its content.

    It is JSON: a list of claims. One that differs from others only in its object stands there once,
    with a list of objects; pages of many runs claim something of every pair. Long JSON is
    compressed, in the attribute ``data-zlib-claim``.

    Examples
    --------
    >>> claim_attribute("12 runs on 50 topics.")
    ''
    """
    claims = _with_objects([claim.to_dict() for claim in getattr(sentence, "claims", ())])
    if not claims:
        return ""
    import json  # noqa: PLC0415, late: most tables claim nothing
    from html import escape  # noqa: PLC0415

    text = json.dumps(claims, ensure_ascii=False, separators=(",", ":"))
    if len(text) > LONGEST_PLAIN:
        return f' data-zlib-claim="{compressed(text)}"'
    # In single quotes, so that those of JSON need not be escaped.
    return f" data-claim='{escape(text, quote=False).replace(_QUOTE, '&#39;')}'"


_QUOTE = "'"


def _with_objects(claims: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put claims together that have all but their object in common.

    Examples
    --------
    >>> _with_objects([{"subject": "a", "object": "b"}, {"subject": "a", "object": "c"}])
    [{'subject': 'a', 'object': ['b', 'c']}]
    """
    alike: dict[str, list[dict[str, Any]]] = {}
    for claim in claims:
        rest = {name: value for name, value in claim.items() if name != "object"}
        alike.setdefault(repr((rest, "object" in claim)), []).append(claim)
    return [
        some[0]
        if len(some) == 1 or "object" not in some[0]
        else some[0] | {"object": [claim["object"] for claim in some]}
        for some in alike.values()
    ]
