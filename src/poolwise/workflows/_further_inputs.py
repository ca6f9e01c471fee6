"""What a user brings beside judgments and runs: slices, common topics, labels."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from poolwise.collection._common_topics import CommonTopics, read_common_topics
from poolwise.collection._labels import Labels
from poolwise.collection.formats._label_files import read_labels
from poolwise.collection.formats._texts import (
    TextSource,
)
from poolwise.collection.formats._topic_files import read_topic_column, read_topic_groups
from poolwise.errors import OptionError
from poolwise.words import named
from poolwise.workflows._named_files import existing_files

__all__ = [
    "as_common",
    "as_machine_labels",
    "as_slices",
    "require_labels",
]


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
    all_labels = read_labels(*sources, **how)
    if by is not None:
        return all_labels.select(by)
    machines = [author.name for author in all_labels.authors if author.machine]
    if len(machines) != 1:
        raise OptionError(
            f"by: one set of labels by a machine is used; got {named(machines) or 'none'}. Hint: "
            f"name one of {named(all_labels.names)}, by= or --by."
        )
    return all_labels.select(machines[0])
