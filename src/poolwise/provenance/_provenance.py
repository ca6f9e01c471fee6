"""Where numbers come from, and what was odd on the way."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path

from poolwise.words import counted, named

__all__ = [
    "DEFAULT_SEED",
    "OF_SCORES",
    "SIDECAR",
    "WITHOUT_FILES",
    "Notice",
    "Provenance",
    "Source",
    "TopicRule",
    "add_notices",
    "installed_version",
    "seed_option",
]

OF_SCORES = "unknown"
"""The tie rule of what was read as scores: whoever made them broke the ties."""

DEFAULT_SEED = 1
"""The seed of whatever is drawn at random, where nothing else is said."""
SIDECAR = ".provenance.json"
"""How the name of a file ends that holds the provenance of the file beside it."""

USUAL: dict[str, object] = {
    "seed": DEFAULT_SEED,
    "draws": 200,
    "prior": "model",
    "test": "t",
    "alternative": "two-sided",
    "correction": "holm",
    "alpha": 0.05,
    "power": 0.8,
    "margin": 0.01,
    "marks": "daggers",
}
"""What is recorded at its default, too, and is no news: the short line leaves it out."""

TopicRule = str | tuple[str, ...]
"""Which topics count: those of a rule, by its name, or those that were named."""


@dataclass(frozen=True)
class Source:
    """One input: its path, or what it is where it has none (``<dict>``, ``<frame>``).

    Attributes
    ----------
    stamp : tuple of two int, optional
        Size of the file and when it was last changed, in nanoseconds, at the time of reading.
    hashed : str
        SHA-256 of what was read, where it is known already.
    """

    path: str
    stamp: tuple[int, int] | None = None
    hashed: str = ""

    @classmethod
    def of_file(cls, path: str) -> "Source":
        """Remember a file as it is now."""
        return cls(path, _stamp(path))

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes on disk, as ``sha256sum`` prints it; made when it is asked for.

        Empty for what is not a file; a file that has changed since it was read has none.
        """
        if self.stamp is None or self.hashed:
            return self.hashed
        # No cached_property: until Python 3.12 it lets one thread hash at a time.
        if "_sha256" not in self.__dict__:
            self.remember(self._hash())
        return str(self.__dict__["_sha256"])

    def remember(self, sha256: str) -> None:
        """Keep the hash of the file with this stamp, which was made already."""
        self.__dict__["_sha256"] = sha256

    def _hash(self) -> str:
        if not self._is_unchanged():
            return ""
        import hashlib  # noqa: PLC0415, late: slow to import

        with Path(self.path).open("rb", buffering=0) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        # A hash of other bytes than those that were read would be worse than none.
        return digest if self._is_unchanged() else ""

    def _is_unchanged(self) -> bool:
        return Path(self.path).exists() and _stamp(self.path) == self.stamp

    def __str__(self) -> str:
        return f"{self.path} (sha256 {self.sha256[:12]})" if self.sha256 else self.path


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)  # noqa: PTH116 -- twice for every file: a Path takes longer to make
    return status.st_size, status.st_mtime_ns


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
    """What produced a number: inputs, tie rule, topic set, and everything odd that was met.

    Attributes
    ----------
    topic_rule : str or tuple of str
        The rule by which topics count, or the topics that were named.
    options : tuple of pairs
        Every option that changes a number, by name: seed, draws, test, correction…

    Examples
    --------
    >>> from poolwise import Judgments, Runs, align
    >>> runs = Runs.from_rankings({"bm25": {"1": ["a"]}})
    >>> provenance = align(Judgments.from_dict({"1": {"a": 1}}), runs).provenance
    >>> provenance.tie_rule, provenance.topic_rule
    ('trec_eval', 'judged')
    >>> provenance.with_options(seed=7).options
    (('seed', 7),)
    """

    judgments: Source = Source("<memory>")
    runs: tuple[Source, ...] = ()
    tie_rule: str = "trec_eval"
    topic_rule: TopicRule = "judged"
    notices: tuple[Notice, ...] = ()
    options: tuple[tuple[str, object], ...] = ()

    def with_options(self, **options: object) -> "Provenance":
        """Return the same with these options added; a new value takes the place of an old one.

        Examples
        --------
        >>> Provenance().with_options(seed=1, draws=200).with_options(seed=2).options
        (('seed', 2), ('draws', 200))
        """
        return replace(self, options=tuple((dict(self.options) | options).items()))

    def with_notices(self, *notices: Notice) -> "Provenance":
        """Return the same with these notices added."""
        return replace(self, notices=(*self.notices, *notices))

    @property
    def sources(self) -> tuple[Source, ...]:
        """The inputs: judgments, and then runs."""
        return (self.judgments, *self.runs)

    @property
    def topic_words(self) -> str:
        """Which topics count, in a few words.

        Examples
        --------
        >>> Provenance().topic_words, Provenance(topic_rule=("401", "407")).topic_words
        ('judged', 'named: 401, 407')
        """
        rule = self.topic_rule
        return rule if isinstance(rule, str) else f"named: {named(rule, most=3)}"

    def lines(self) -> tuple[str, ...]:
        r"""Say in words what a reader needs to make the same numbers again, oddities included.

        Examples
        --------
        >>> origin = Provenance(Source("qrels.gz", hashed="3f5a" * 16), (Source("a.run"),))
        >>> print(*origin.lines(), sep="\n")
        judgments qrels.gz (sha256 3f5a3f5a3f5a), 1 run, ties by trec_eval, topics judged
        """
        inputs = (
            f"judgments {self.judgments}, {counted(len(self.runs), 'run')}, "
            f"ties by {self.tie_rule}, topics {self.topic_words}"
        )
        if self.tie_rule == OF_SCORES:
            inputs = f"scores {named([str(source) for source in self.runs], most=3)}"
        about_inputs = () if self.judgments == WITHOUT_FILES.judgments else (inputs,)
        chosen = _chosen(self.options)
        return (*about_inputs, *filter(None, [chosen]), *map(str, self.notices))

    def short_lines(self) -> tuple[str, ...]:
        """Say in one line what was inferred or is not the default; what was odd is below it.

        What every range depends on, the universe and the grades, is always there.

        Examples
        --------
        >>> origin = Provenance(tie_rule="rank").with_options(seed=1, universe="runs", grades="0,1")
        >>> origin.short_lines()
        ('universe runs, grades 0,1, ties by rank',)
        """
        news = [(name, value) for name, value in self.options if USUAL.get(name) != value]
        # What ranges depend on comes first.
        news.sort(key=lambda option: option[0] not in _OF_RANGES)
        rules = (
            (self.tie_rule not in _USUAL_RULES, f"ties by {self.tie_rule}"),
            (self.topic_rule not in _USUAL_RULES, f"topics {self.topic_words}"),
        )
        said = [_chosen(news), *(words for applies, words in rules if applies)]
        return (*filter(None, [", ".join(filter(None, said))]), *map(str, self.notices))


_OF_RANGES = ("universe", "universe_depth", "grades")
"""Options that every range over judgments depends on."""


def _chosen(options: Iterable[tuple[str, object]]) -> str:
    """Return options in words, without those that have nothing to say."""
    return ", ".join(filter(None, (_option_in_words(name, value) for name, value in options)))


def _option_in_words(name: str, value: object) -> str:
    """Return an option with its value; of one that is or is not so only that.

    Examples
    --------
    >>> _option_in_words("draws", 5), _option_in_words("original", True), _option_in_words("by", [])
    ('draws 5', 'original', '')
    """
    if isinstance(value, bool):
        return name if value else f"not {name}"
    said = _in_words(value)
    return f"{name} {said}" if said else ""


def _in_words(value: object) -> str:
    """Return the value of an option as it can be read; of a long list only its beginning.

    Examples
    --------
    >>> _in_words((1, 2, 3)), _in_words([str(n) for n in range(30)]), _in_words("t")
    ('1 2 3', '0 1 2 3 4 5 6 7 and 22 more', 't')
    >>> _in_words(0.03488372093023256), _in_words([0.5, 1.0])
    ('0.0348837', '0.5 1.0')
    """
    if not isinstance(value, list | tuple):
        return _shortened(value)
    return named([_shortened(item) for item in value], most=8).replace(", ", " ")


def _shortened(value: object) -> str:
    """Return a value as text; of a fraction the digits that matter, since records keep them all."""
    text = str(value)
    return f"{value:.6g}" if isinstance(value, float) and len(text) > len("0.123456") else text


_NO_RULE = "none"
_USUAL_RULES = (Provenance.tie_rule, Provenance.topic_rule, OF_SCORES, _NO_RULE)
"""Rules for ties and topics that nobody has to be told."""

WITHOUT_FILES = Provenance(Source("none"), tie_rule=_NO_RULE, topic_rule=_NO_RULE)
"""What produced a number that follows from numbers or lists alone, by its options."""


def seed_option(rng: object) -> dict[str, int]:
    """Return a seed as an option; a generator has none that would give the same numbers again.

    Examples
    --------
    >>> Provenance().with_options(**seed_option(7), draws=200).options
    (('seed', 7), ('draws', 200))
    """
    return {"seed": int(rng)} if isinstance(rng, Integral) else {}


def installed_version(package: str) -> str:
    """Return which version of another package is installed."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415, late: slow

    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def add_notices(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Add up notices of the same kind; the first example stays.

    Examples
    --------
    >>> add_notices([Notice("blank", 2, "a:1"), Notice("blank", 3, "b:7")])
    (Notice(what='blank', count=5, example='a:1'),)
    """
    total: dict[str, Notice] = {}
    for notice in notices:
        earlier = total.get(notice.what)
        count = notice.count + (earlier.count if earlier else 0)
        total[notice.what] = replace(earlier or notice, count=count)
    return tuple(total.values())
