"""What a user brings beside judgments and runs: groups, slices, common topics, texts, labels."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from poolwise.collection._common_topics import CommonTopics, read_common_topics
from poolwise.collection._groups import NAMES, Groups, groups_by_name, read_groups
from poolwise.collection._labels import Labels
from poolwise.collection.formats._label_files import read_labels
from poolwise.collection.formats._texts import (
    NO_TEXTS,
    Texts,
    TextSource,
    read_queries,
    read_texts,
)
from poolwise.collection.formats._topic_files import read_topic_column, read_topic_groups
from poolwise.errors import InputError, OptionError, shortened
from poolwise.provenance._recorded import recorded
from poolwise.words import named
from poolwise.workflows._named_files import existing_files

__all__ = [
    "as_common",
    "as_groups",
    "as_machine_labels",
    "as_names",
    "as_slices",
    "as_texts",
    "require_labels",
]


@recorded
def as_groups(source: Any, systems: Sequence[str] = (), *, what: str = "group") -> Groups | None:
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
    if isinstance(source, Mapping):
        return Groups.from_dict(source)
    if source == NAMES:
        return groups_by_name(systems)
    if source is None or isinstance(source, Groups):
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
    queries: TextSource | None,
    documents: TextSource | None,
    *,
    topics: Iterable[str],
    wanted: Iterable[str],
) -> Texts:
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
    if queries is None and documents is None:
        return NO_TEXTS
    ids = dict.fromkeys(topics), dict.fromkeys(wanted)
    asked = {} if queries is None else read_queries(queries)
    said = {} if documents is None else read_texts(documents, ids[1])
    _require_some("topics", queries, asked, ids[0])
    _require_some("documents", documents, said, ids[1])
    return Texts({topic: text for topic, text in asked.items() if topic in ids[0]}, said)


def _require_some(
    what: str, source: TextSource | None, found: Mapping[str, str], ids: Mapping[str, None]
) -> None:
    """Raise where a file has none of the ids that are looked up in it."""
    if source is None or not ids or not ids.keys().isdisjoint(found):
        return
    where = {"topics": "queries"}.get(what, what) if isinstance(source, Mapping) else str(source)
    rule = f"at least one of the {what} that are shown must be in it, and none is"
    remedy = "check that its ids are those of the runs"
    raise InputError(where, rule, value=next(iter(ids)), remedy=remedy)


def as_slices(
    by: Mapping[str, str] | str | Path, queries: TextSource | None, *, what: str = "by"
) -> dict[str, str]:
    """Return which slice each topic is of: from a dict, a column of the topics, or a file.

    Examples
    --------
    >>> as_slices({"1": "en", "2": "fr"}, None)
    {'1': 'en', '2': 'fr'}
    >>> as_slices("language", None)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: by: 'language' is no file, and there are no topics that could have
    such a column. Hint: name the file that has it: queries=, --queries.
    """
    if isinstance(by, Mapping):
        return {str(topic): str(name) for topic, name in by.items()}
    if queries is not None and not isinstance(queries, Mapping):
        return read_topic_column(queries, str(by))
    if isinstance(by, Path) or existing_files([by]):
        return read_topic_groups(by)
    hint = "name the file that has it: queries=, --queries"
    if what == "clusters":
        hint = "name a file with a topic and its cluster in each line"
    raise OptionError(
        f"{what}: {by!r} is no file, and there are no topics that could have such a column. Hint: "
        f"{hint}."
    )


def as_common(source: Any) -> tuple[str, ...] | CommonTopics | None:
    """Return common topics by name or as recorded, or read the record; None leaves it open.

    Examples
    --------
    >>> as_common(["401", "403"]), as_common("401")
    (('401', '403'), ('401',))
    """
    if isinstance(source, CommonTopics):
        return source
    names = (source,) if isinstance(source, str | Path) else tuple(source or ())
    if len(names) == 1 and (isinstance(names[0], Path) or existing_files(names)):
        return read_common_topics(names[0])
    return names or None


def require_labels(labels: Any, **about: Any) -> None:
    """Raise where something is said about labels, and there are none.

    Examples
    --------
    >>> require_labels(None, by="llama", scale=())
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: by: this is about labels, and there are none. Hint: give the labels
        (--labels, or labels=), or leave it out.
    """
    idle = [name for name, value in about.items() if value] if labels is None else []
    if idle:
        raise OptionError(
            f"{', '.join(idle)}: this is about labels, and there are none. Hint: give the labels "
            "(--labels, or labels=), or leave it out."
        )


def as_machine_labels(labels: Any, by: str | None = None, **how: Any) -> Labels:
    """Read labels where they are not read yet, and return the one set by a machine that is used.

    Examples
    --------
    >>> as_machine_labels({"gpt": {"1": {"a": 2}}, "llama": {"1": {"a": 0}}}, "llama").names
    ('llama',)
    """
    sources = labels if isinstance(labels, list | tuple) else (labels,)
    given = read_labels(*sources, **how)
    if by is not None:
        return given.select(by)
    machines = [author.name for author in given.authors if author.machine]
    if len(machines) != 1:
        raise OptionError(
            f"by: one set of labels by a machine is used; got {named(machines) or 'none'}. Hint: "
            f"name one of {named(given.names)}, by= or --by."
        )
    return given.select(machines[0])
