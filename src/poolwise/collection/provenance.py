"""Where numbers come from, and what was odd on the way."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

__all__ = ["Notice", "Provenance", "Source", "add_notices"]


@dataclass(frozen=True)
class Source:
    """One input: its path (or ``<dict>``, ``<frame>``) and the SHA-256 of its bytes on disk."""

    path: str
    sha256: str = ""

    def __str__(self) -> str:
        return f"{self.path} (sha256 {self.sha256[:12]})" if self.sha256 else self.path


@dataclass(frozen=True)
class Notice:
    """Something odd that a named policy let pass: what, how often, and the first place.

    Examples
    --------
    >>> print(Notice("duplicate documents: first kept", 3, "bm25.run:17"))
    duplicate documents: first kept: 3 (first at bm25.run:17)
    """

    what: str
    count: int
    example: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.count}" + (
            f" (first at {self.example})" if self.example else ""
        )


@dataclass(frozen=True)
class Provenance:
    """What produced a number: inputs, tie rule, topic set, and everything odd that was met."""

    judgments: Source = Source("<memory>")
    runs: tuple[Source, ...] = ()
    tie_rule: str = "trec_eval"
    topic_rule: str = "judged"
    notices: tuple[Notice, ...] = ()

    def lines(self) -> tuple[str, ...]:
        r"""Say in words what a reader needs to make the same numbers again, oddities included.

        Examples
        --------
        >>> origin = Provenance(Source("qrels.gz", "3f5a" * 16), (Source("a.run"),))
        >>> print(*origin.lines(), sep="\n")
        judgments qrels.gz (sha256 3f5a3f5a3f5a), 1 run, ties by trec_eval, topics judged
        """
        count = len(self.runs)
        inputs = (
            f"judgments {self.judgments}, {count} run{'' if count == 1 else 's'}, "
            f"ties by {self.tie_rule}, topics {self.topic_rule}"
        )
        return (inputs, *map(str, self.notices))


def add_notices(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Add up notices of the same kind; the first example stays.

    Examples
    --------
    >>> add_notices([Notice("blank", 2, "a:1"), Notice("blank", 3, "b:7")])
    (Notice(what='blank', count=5, example='a:1'),)
    """
    total: dict[str, Notice] = {}
    for notice in notices:
        known = total.get(notice.what)
        count = notice.count + (known.count if known else 0)
        total[notice.what] = replace(known or notice, count=count)
    return tuple(total.values())
