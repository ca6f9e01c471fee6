"""Whatever a user brings, as judgments, runs and evidence."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from poolwise.collection._groups import NAMES, Groups, groups_by_name, read_groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._matching import require_order
from poolwise.collection._runs import Runs
from poolwise.collection._topics import listed_topics
from poolwise.collection.files.readers import read_judgments, read_runs
from poolwise.errors import OptionError, require_known
from poolwise.evidence.alignment import align
from poolwise.evidence.evidence import Evidence
from poolwise.evidence.topic_choice import TOPIC_RULES
from poolwise.provenance._provenance import TopicRule
from poolwise.workflows.named_files import existing_files

__all__ = [
    "Topics",
    "as_collection",
    "as_evidence",
    "as_groups",
    "as_judgments",
    "as_runs",
    "as_topics",
    "of_runs",
    "options_of",
]

Topics = str | Path | Iterable[str]
"""Which topics count: a rule by its name, a file that lists them, or the topics themselves."""

_OF_JUDGMENTS = ("duplicates", "malformed", "negative", "max_ratio")
"""The options of reading that qrels have."""

_JUDGMENTS_ALONE = ("negative",)


def as_judgments(source: Any, *, grades: Sequence[float] = (), **reading: Any) -> Judgments:
    """Return judgments as they are, or read them from a file, a dict or a frame.

    ``grades`` declares those that a document can have. Options that are about runs alone, such as
    how ties are broken, are passed over.

    Parameters
    ----------
    source
        Judgments, or whatever :func:`~poolwise.read_judgments` reads.
    grades : sequence of float
        The grades that a document can have; by default 0 and the positive ones of the source.
    reading
        The options of :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs`.

    Returns
    -------
    Judgments
        The grades by topic and document.

    Examples
    --------
    >>> len(as_judgments({"1": {"a": 1, "b": 0}}, ties="docid"))
    2
    """
    require_known(reading, _reading_options())
    if isinstance(source, Runs):
        raise _swapped("judgments", "runs")
    if not isinstance(source, Judgments):
        how = {name: reading[name] for name in _OF_JUDGMENTS if name in reading}
        return read_judgments(source, grades=grades, **how)
    return source.with_grades(grades) if grades else source


def as_runs(source: Any, **reading: Any) -> Runs:
    """Return runs as they are, or read them from files, dicts or frames.

    Parameters
    ----------
    source
        Runs, or whatever :func:`~poolwise.read_runs` reads.
    reading
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    Runs
        The rankings by system and topic.

    Examples
    --------
    >>> as_runs({"bm25": {"1": {"a": 0.5, "b": 0.7}}}).ranking("bm25", "1")
    ['b', 'a']
    """
    require_known(reading, _reading_options())
    if isinstance(source, Judgments):
        raise _swapped("runs", "judgments")
    return source if isinstance(source, Runs) else read_runs(source, **of_runs(reading))


def as_collection(
    judgments: Any, runs: Any, *, grades: Sequence[float] = (), **reading: Any
) -> tuple[Judgments, Runs]:
    """Return judgments and runs as they are, or read them where they are not read yet.

    What is read here is in the right order, or it is an error.

    Parameters
    ----------
    judgments, runs
        What :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` take or return.
    grades : sequence of float
        Grades that documents may have besides those of the judgments.
    reading
        Options of these two functions, such as ``ties``.

    Returns
    -------
    tuple of Judgments and Runs

    Examples
    --------
    >>> qrels, runs = as_collection({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}})
    >>> qrels.topics, runs.systems
    (('1',), ('bm25',))
    """
    both = as_judgments(judgments, grades=grades, **reading), as_runs(runs, **reading)
    if both[0] is not judgments and both[1] is not runs:
        require_order(*both)
    return both


def _swapped(wanted: str, given: str) -> OptionError:
    return OptionError(
        f"{wanted}: these are {given}. Hint: pass the judgments first and the runs second."
    )


def of_runs(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that runs are read by, without those that judgments alone have.

    Examples
    --------
    >>> of_runs({"ties": "docid", "negative": "zero"})
    {'ties': 'docid'}
    """
    return {name: value for name, value in reading.items() if name not in _JUDGMENTS_ALONE}


def options_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of the options that a function takes.

    Examples
    --------
    >>> options_of(as_evidence)
    ['topics', 'grades']
    """
    parameters = signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY]


@cache
def _reading_options() -> list[str]:
    return list(dict.fromkeys([*options_of(read_runs), *options_of(read_judgments)]))


def as_groups(source: Any, systems: Sequence[str] = ()) -> Groups | None:
    """Return groups as they are, from a dict, from a file, or from names; None stays None.

    Parameters
    ----------
    source
        Groups, a dict from run to group, a file, ``"names"`` for the beginnings of names, or None.
    systems : sequence of str
        The runs, which groups by name need.

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
    return source if source is None or isinstance(source, Groups) else read_groups(source)


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


def as_evidence(
    judgments: Any,
    runs: Any,
    *,
    topics: Topics = "judged",
    grades: Sequence[float] = (),
    **reading: Any,
) -> Evidence:
    """Read judgments and runs where they are not read yet, and join them.

    Parameters
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    topics : {"judged", "common"}, iterable of str, or path
        All judged topics, those of them that every run answers, or these: topics, or a file with
        one in each line.
    grades : sequence of float
        The grades that a document can have; by default 0 and the positive ones of the judgments.
    reading
        The options of :func:`~poolwise.read_runs`.

    Returns
    -------
    Evidence
        The runs, met with the judgments.

    Examples
    --------
    >>> as_evidence({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5}}}).systems
    ('bm25',)
    """
    both = as_collection(judgments, runs, grades=grades, **reading)
    return align(*both, topics=as_topics(topics))
