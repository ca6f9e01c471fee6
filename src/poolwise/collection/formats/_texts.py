"""What topics ask and what documents say, by id."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from poolwise.collection.formats._document_files import documents_of
from poolwise.collection.formats._topic_files import read_topics
from poolwise.errors import InputError
from poolwise.results._columns import Columns

__all__ = [
    "NO_TEXTS",
    "TextSource",
    "Texts",
    "for_people",
    "read_queries",
    "read_texts",
    "short_text",
]

TextSource = Mapping[str, str] | str | Path
"""Texts by id: a dict, or the file that has them."""


@dataclass(frozen=True)
class Texts:
    """What topics ask and what documents say, as far as that is known.

    Attributes
    ----------
    queries, documents : dict from str to str
        Texts by the id of a topic, and of a document.

    Examples
    --------
    >>> Texts({"7": "owls"}, {"a": "They hoot."}).columns(["7", "7"], ["a", "b"])
    {'query': ['owls', 'owls'], 'text': ['They hoot.', None]}
    >>> Texts().columns(["7"], ["a"])
    {}
    """

    queries: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)

    def columns(self, topics: Sequence[str], documents: Sequence[str]) -> Columns:
        """Return the query and the text of each row, where any are known."""
        queries = {"query": [self.queries.get(topic) for topic in topics]}
        texts = {"text": [self.documents.get(document) for document in documents]}
        return (queries if self.queries else {}) | (texts if self.documents else {})


NO_TEXTS = Texts()
"""Where nothing is known of what topics ask, and what documents say."""
_QUERY, _TEXT = 20, 200
"""Characters of a query, and of a text, in a table for people."""


def for_people(columns: Columns) -> Columns:
    """Return columns with each query beside its topic, in few words, and the texts last.

    Examples
    --------
    >>> for_people({"topic": ["7"], "document": ["a"], "query": ["how do owls hoot at night"]})
    {'topic': ['7'], 'query': ['how do owls hoot at…'], 'document': ['a']}
    """
    rest = dict(columns)
    first = {"topic": rest.pop("topic")} if "query" in rest else {}
    if "query" in rest:
        first["query"] = [short_text(query, _QUERY) for query in rest.pop("query")]
    texts = [short_text(text) for text in rest.pop("text", ())]
    return first | rest | ({"text": texts} if "text" in columns else {})


def short_text(text: str | None, most: int = _TEXT) -> str:
    """Return the beginning of a text, for a table for people.

    Examples
    --------
    >>> short_text("They hoot at night.", 10), short_text(None)
    ('They hoot…', '(not known)')
    """
    if text is None:
        return "(not known)"
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def read_queries(source: TextSource) -> dict[str, str]:
    """Read what topics ask: a dict, or whatever :func:`read_topics` reads.

    Examples
    --------
    >>> read_queries({"7": "owls"})
    {'7': 'owls'}
    """
    if isinstance(source, Mapping):
        return {str(topic): str(text) for topic, text in source.items()}
    return {topic.id: topic.query for topic in read_topics(source)}


def read_texts(source: TextSource, wanted: Collection[str]) -> dict[str, str]:
    """Read the texts of some documents.

    Parameters
    ----------
    source : str, Path or mapping
        Whatever :func:`documents_of` goes through; or a dict from id to text.
    wanted : collection of str
        The documents whose texts are kept, so that a file may be larger than memory.

    Returns
    -------
    dict from str to str
        The texts that were found.

    Examples
    --------
    >>> read_texts({"a": "one text", "b": "another"}, {"b", "c"})
    {'b': 'another'}
    """
    if isinstance(source, Mapping):
        return {name: str(source[name]) for name in wanted if name in source}
    texts: dict[str, str] = {}
    for document in documents_of(str(source)):
        if document.id in wanted and texts.setdefault(document.id, document.shown) != (
            document.shown
        ):
            rule, remedy = "a document must have one text, and has two", "remove one of the two"
            raise InputError(str(source), rule, value=document.id, remedy=remedy)
    return texts
