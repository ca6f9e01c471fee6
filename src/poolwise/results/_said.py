"""Sentences that carry what they claim, from the finding to the page."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol, Self

__all__ = ["Askable", "Said", "Told", "claim_attribute", "claims_of", "claims_text", "retold"]


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
    found = (claim for text in sentences for claim in getattr(text, "claims", ()))
    return tuple(dict.fromkeys(found))


def claims_text(claims: Iterable[Askable]) -> str:
    """Write claims as JSON, and what they are about once for all that share it."""
    import json  # noqa: PLC0415, late: most results claim nothing

    numbers: dict[Told, int] = {}
    rows = [
        claim.to_dict() | {"grounds": numbers.setdefault(claim.grounds, len(numbers))}
        for claim in claims
    ]
    told = {"claims": rows, "grounds": [grounds.to_dict() for grounds in numbers]}
    return json.dumps(told, ensure_ascii=False)


def retold(sentence: str, change: Callable[[str], str]) -> str:
    """Return a sentence changed in its letters alone: it claims what it did.

    Examples
    --------
    >>> retold(Said("a leads", ()), lambda text: f"{text}.")
    'a leads.'
    """
    changed = change(sentence)
    return Said(changed, sentence.claims) if isinstance(sentence, Said) else changed


def claim_attribute(sentence: object) -> str:
    """Return the attribute by which an element of HTML carries the claims of its content.

    Examples
    --------
    >>> claim_attribute("12 runs on 50 topics.")
    ''
    """
    claims = [claim.to_dict() for claim in getattr(sentence, "claims", ())]
    if not claims:
        return ""
    import json  # noqa: PLC0415, late: most tables claim nothing
    from html import escape  # noqa: PLC0415

    return f' data-claim="{escape(json.dumps(claims, ensure_ascii=False))}"'
