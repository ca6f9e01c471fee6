"""Whatever a user brings, as judgments, runs, evidence, groups, topics, texts and measures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.collection._identifiers import listed_topics
from poolwise.collection._judgments import Judgments
from poolwise.collection._reading import Reading, require_order
from poolwise.collection._runs import Runs
from poolwise.errors import InputError, OptionError, shortened
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import TOPIC_RULES, align
from poolwise.measures._measure import Measure
from poolwise.provenance._provenance import TopicRule
from poolwise.provenance._recorded import recorded
from poolwise.workflows._named_files import existing_files

if TYPE_CHECKING:  # most calls do without, and a card knows of models
    from poolwise.collection._groups import Groups
    from poolwise.collection.formats._texts import Texts, TextSource
    from poolwise.scores.cards._card import CollectionCard

__all__ = [
    "DEFAULT_MEASURES",
    "Topics",
    "as_collection",
    "as_evidence",
    "as_groups",
    "as_names",
    "as_texts",
    "as_topics",
    "carded_evidence",
    "require_some",
    "several_measures",
    "with_card",
]


def several_measures(measures: Any) -> list[Any]:
    """Return measures as a list; there is one at least.

    Examples
    --------
    >>> several_measures("AP"), several_measures(("AP", "P@10"))
    (['AP'], ['AP', 'P@10'])
    """
    # A text is iterable, too, and would become a measure for each letter.
    if isinstance(measures, str | Measure) or not isinstance(measures, Iterable):
        return [measures]
    if several := list(measures):
        return several
    raise OptionError("measures: at least one is needed. Hint: use nDCG@10.")


DEFAULT_MEASURES = ("nDCG@10", "P@10", "RBP(p=0.8)")
"""With cut-offs, or with weights that fade: their ranges say something, and soon."""

Topics = str | Path | Iterable[str]
"""Which topics count: a rule by its name, a file that lists them, or the topics themselves."""


@recorded
def as_collection(
    judgments: Any, runs: Any, *, grades: Sequence[float] = (), reading: Reading = Reading()
) -> tuple[Judgments, Runs]:
    """Return judgments and runs as they are, or read them where they are not read yet.

    What is read here is in the right order, or it is an error.

    Returns
    -------
    tuple of Judgments and Runs

    Examples
    --------
    >>> qrels, runs = as_collection({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}})
    >>> qrels.topics, runs.systems
    (('1',), ('bm25',))
    """
    both = reading.judgments(judgments, grades=grades), reading.runs(runs)
    # Files may be given the wrong way round; an object of ours is what its type says.
    if both[0] is not judgments and both[1] is not runs:
        require_order(*both)
    return both


@recorded
def as_groups(source: Any, systems: Sequence[str] = (), *, what: str = "group") -> "Groups | None":
    """Return groups as they are, from a dict, from a file, or from names; None stays None.

    Parameters
    ----------
    source
        Groups, a dict from run to group, a file, ``"names"`` for the beginnings of names, or None.
    systems : sequence of str
        The runs, which groups by name need.
    what : {"group", "kind"}
        What a file says of each run.

    Returns
    -------
    Groups or None
        The group of each run.

    Examples
    --------
    >>> as_groups("names", ["bm25-1", "bm25-2", "dense"]).names
    ('bm', 'dense')
    """
    if source is None:
        return None
    # late: few runs have groups
    from poolwise.collection._groups import (  # noqa: PLC0415
        NAMES,
        Groups,
        groups_by_name,
        read_groups,
    )

    if isinstance(source, Mapping):
        return Groups.from_dict(source)
    if source == NAMES:
        return groups_by_name(systems)
    if isinstance(source, Groups):
        return source
    if isinstance(source, str | Path):
        return read_groups(source, what=what)
    raise OptionError(
        f"{what}s: must be groups, a dict, a file, or names; got {shortened(repr(source))}. Hint: "
        f"use a dict from each run to its {what}."
    )


def as_names(names: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return names in a tuple, one alone too; None, and none at all, leave it open.

    Examples
    --------
    >>> as_names(["bm25", "dense"]), as_names("bm25"), as_names([])
    (('bm25', 'dense'), ('bm25',), None)
    """
    if isinstance(names, str):
        return (names,)
    return tuple(names or ()) or None


def as_texts(
    queries: "TextSource | None",
    documents: "TextSource | None",
    *,
    topics: Iterable[str],
    wanted: Iterable[str],
) -> "Texts":
    """Return what these topics ask and these documents say, from dicts or files; None says nothing.

    Examples
    --------
    >>> as_texts({"7": "owls", "8": "bats"}, None, topics=["7"], wanted=["a"]).queries
    {'7': 'owls'}
    >>> as_texts(None, {"x": "They hoot."}, topics=["7"], wanted=["a"])
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: documents: at least one of the documents that are shown must be in
    it, and none is; got 'a'. Hint: check that its ids are those of the runs.
    """
    # late: few show what documents say
    from poolwise.collection.formats._texts import (  # noqa: PLC0415
        NO_TEXTS,
        Texts,
        read_queries,
        read_texts,
    )

    if queries is None and documents is None:
        return NO_TEXTS
    ids = dict.fromkeys(topics), dict.fromkeys(wanted)
    asked = {} if queries is None else read_queries(queries)
    said = {} if documents is None else read_texts(documents, ids[1])
    require_some("topics", queries, asked, ids[0])
    require_some("documents", documents, said, ids[1])
    return Texts({topic: text for topic, text in asked.items() if topic in ids[0]}, said)


def require_some(
    what: str,
    source: "TextSource | None",
    texts: Mapping[str, str],
    ids: Mapping[str, None],
    *,
    done: str = "shown",
) -> None:
    """Raise where a file has none of the ids that are looked up in it.

    Examples
    --------
    >>> require_some("topics", {"9": "owls"}, {"9": "owls"}, {"1": None})
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: queries: at least one of the topics that are shown must be in it,
    and none is; got '1'. Hint: check that its ids are those of the runs.
    """
    if source is None or not ids or not ids.keys().isdisjoint(texts):
        return
    where = {"topics": "queries"}.get(what, what) if isinstance(source, Mapping) else str(source)
    rule = f"at least one of the {what} that are {done} must be in it, and none is"
    remedy = f"check that its ids are those of the {'runs' if done == 'shown' else 'judgments'}"
    raise InputError(where, rule, value=next(iter(ids)), remedy=remedy)


def as_topics(source: Topics) -> TopicRule:
    """Return the name of a rule or a list of topics as they are, or read the list from a file.

    Parameters
    ----------
    source
        ``"judged"`` or ``"common"``, topics, or a file with one topic in each line.

    Returns
    -------
    str or tuple of str
        The name of the rule, or the topics.

    Examples
    --------
    >>> as_topics("common"), as_topics(["401", "402"])
    ('common', ('401', '402'))
    >>> as_topics("401")
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: topics: '401' is neither judged nor common, and there is no file
    of this name. Hint: name a file with one topic in each line, or topics in a list: ['401'].
    """
    if isinstance(source, str) and source in TOPIC_RULES:
        return source
    if isinstance(source, str) and not existing_files([source]):
        raise OptionError(
            f"topics: {source!r} is neither {' nor '.join(TOPIC_RULES)}, and there is no file of "
            f"this name. Hint: name a file with one topic in each line, or topics in a list: "
            f"[{source!r}]."
        )
    return listed_topics(source)


@recorded
def as_evidence(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> Evidence:
    """Read judgments and runs where they are not read yet, and join them.

    Returns
    -------
    Evidence
        The runs, met with the judgments.

    Examples
    --------
    >>> as_evidence({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}}).systems
    ('bm25',)
    """
    both = as_collection(judgments, runs, grades=grades, reading=reading)
    return align(*both, topics=as_topics(topics))


def carded_evidence(
    judgments: Any,
    runs: Any,
    card: Any,
    *,
    topics: Topics = "judged",
    grades: Sequence[float] = (),
    reading: Reading = Reading(),
) -> "tuple[Evidence, CollectionCard | None]":
    """Meet runs with judgments, and both with a card of documents, if there is one.

    Examples
    --------
    >>> evidence, card = carded_evidence({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}}, None)
    >>> evidence.systems, card
    (('bm25',), None)
    """
    both = as_collection(judgments, runs, grades=grades, reading=reading)
    return with_card(align(*both, topics=as_topics(topics)), both[0], card)


def with_card(
    evidence: Evidence, judgments: Judgments, card: Any
) -> "tuple[Evidence, CollectionCard | None]":
    """Return a card that is of these judgments, and the evidence with what is to be said of it."""
    if card is None:
        return evidence, None
    from poolwise.workflows._cards import checked_card  # noqa: PLC0415, late: few have a card

    evidence, opened = checked_card(card, judgments, evidence)
    opened.require_documents()
    return evidence, opened
