"""Judgments as search engines and their tools hold them in JSON.

Sources: the documentation of OpenSearch's Search Relevance Workbench ("Judgments"), of
Elasticsearch's ranking evaluation API, the code of RRE (rre-core, ``Engine.java``), and the export
of a book in Quepid's code (``app/views/api/v1/export/books``).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from poolwise.collection.files._sources import read_text
from poolwise.collection.formats._ratings import Rating, Ratings, grade_of, number
from poolwise.collection.formats._rows import id_text
from poolwise.collection.formats._text_files import read_whole_json
from poolwise.errors import InputError

__all__ = [
    "judgment_list",
    "read_elasticsearch",
    "read_opensearch",
    "read_quepid_book",
    "read_rre",
    "write_elasticsearch",
    "write_opensearch",
    "write_quepid_book",
    "write_rre",
]

_PLACEHOLDER = "$query"
_UNRATED = "queries without a rating"


def read_quepid_book(path: str) -> Ratings:
    """Read the JSON that Quepid exports of a book: pairs, each with a judgment of every judge."""
    pairs = _objects(_root(path), "query_doc_pairs", path)
    judgements = [
        (
            _id(pair, ("query_text", "query"), path),
            _id(pair, ("doc_id",), path),
            judgement,
        )
        for pair in pairs
        for judgement in _objects(pair, "judgements", path, optional=True)
    ]
    rated = [
        (query, document, judgement)
        for query, document, judgement in judgements
        if judgement.get("rating") is not None
    ]
    entries = tuple(
        Rating(
            query,
            document,
            grade_of(judgement["rating"], path),
            str(judgement.get("user_email") or ""),
        )
        for query, document, judgement in rated
    )
    explained = sum(bool(judgement.get("explanation")) for _, _, judgement in judgements)
    described = sum(bool(pair.get("document_fields")) for pair in pairs)
    return (
        Ratings(entries)
        .losing("pairs that were put off or marked as unrateable", len(judgements) - len(rated))
        .losing("pairs without any judgment", sum(not pair.get("judgements") for pair in pairs))
        .losing("explanations of assessors", explained)
        .losing("fields of documents", described)
    )


def write_quepid_book(ratings: Ratings, index: str) -> str:
    """Write a book for Quepid; its name is that of the index."""
    pairs: dict[tuple[str, str], list[Rating]] = {}
    for entry in ratings.entries:
        pairs.setdefault(entry[:2], []).append(entry)
    made = [
        {
            "query_text": query,
            "doc_id": document,
            "judgements": [
                {"rating": number(e.grade)} | ({"user_email": e.judge} if e.judge else {})
                for e in entries
            ],
        }
        for (query, document), entries in pairs.items()
    ]
    return _text({"name": index, "query_doc_pairs": made})


def read_opensearch(path: str) -> Ratings:
    """Read ``judgmentRatings``: a list of queries with their ratings, or an object of them."""
    queries = _need(judgment_list(_root(path)), ("judgmentRatings",), path)
    if isinstance(queries, Mapping):
        queries = [{"query": query, "ratings": ratings} for query, ratings in queries.items()]
    if not isinstance(queries, list):
        raise _no_list("judgmentRatings", path)
    entries = tuple(
        Rating(
            _id(entry, ("query",), path),
            _id(rated, ("docId",), path),
            grade_of(_need(rated, ("rating",), path), path),
        )
        for entry in queries
        for rated in _objects(entry, "ratings", path)
    )
    return Ratings(entries).losing(_UNRATED, sum(not entry["ratings"] for entry in queries))


def judgment_list(root: Any) -> Any:
    """Return the list of judgments in what OpenSearch answers; anything else as it is.

    A list that is asked for comes as the one hit of a search.

    Examples
    --------
    >>> judgment_list({"took": 3, "hits": {"hits": [{"_id": "a", "_source": {"name": "mine"}}]}})
    {'name': 'mine'}
    """
    match root:
        case {"hits": {"hits": [{"_source": found}]}}:
            return found
    return root


def write_opensearch(ratings: Ratings, index: str) -> str:
    """Write the body that imports judgments; ratings are texts there."""
    made = [
        {
            "query": query,
            "ratings": [{"docId": e.document, "rating": str(number(e.grade))} for e in entries],
        }
        for query, entries in ratings.of_topics().items()
    ]
    body = {"name": index, "description": "Judgments", "type": "IMPORT_JUDGMENT"}
    return _text(body | {"judgmentRatings": made})


def read_elasticsearch(path: str) -> Ratings:
    """Read the body of a request to ``_rank_eval``; what it searches for is not kept."""
    requests = _objects(_root(path), "requests", path)
    rated = [
        (_id(request, ("id",), path), rating)
        for request in requests
        for rating in _objects(request, "ratings", path, optional=True)
    ]
    entries = tuple(
        Rating(
            topic,
            _id(rating, ("_id",), path),
            grade_of(_need(rating, ("rating",), path), path),
        )
        for topic, rating in rated
    )
    indices = {str(rating.get("_index")) for _, rating in rated}
    texts = {str(r["id"]): text for r in requests if (text := _searched(r))}
    return (
        Ratings(entries, texts)
        .losing("requests, beyond the text that is searched for", len(requests))
        .losing("names of indices", len(indices))
        .losing(_UNRATED, sum(not request.get("ratings") for request in requests))
    )


def _searched(request: Mapping[str, Any]) -> str:
    """Return the only text that a request searches for; empty where there are several or none."""
    texts = {value for name, value in _leaves(request.get("request", {})) if name == "query"}
    return texts.pop() if len(texts) == 1 else ""


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in objects, with their names; a stack, since files nest as deep as JSON."""
    waiting = [(name, value)]
    while waiting:
        key, inner = waiting.pop()
        if isinstance(inner, Mapping):
            waiting += [*inner.items()][::-1]
        elif isinstance(inner, str):
            yield key, inner


def write_elasticsearch(ratings: Ratings, index: str) -> str:
    """Write the body of a request to ``_rank_eval``, by nDCG@10, with plain query strings."""
    made = [
        {
            "id": topic,
            "request": {"query": {"query_string": {"query": ratings.texts.get(topic, topic)}}},
            "ratings": [
                {"_index": index, "_id": e.document, "rating": number(e.grade)} for e in entries
            ],
        }
        for topic, entries in ratings.of_topics().items()
    ]
    return _text({"requests": made, "metric": {"dcg": {"k": 10, "normalize": True}}})


def read_rre(path: str) -> Ratings:
    """Read ratings of RRE; the queries of a group share its documents.

    A group with a name and one query is a topic of that name; of other groups, each query is one.
    """
    root = _root(path)
    placeholder = str(root.get("query_placeholder", _PLACEHOLDER))
    entries: list[Rating] = []
    texts: dict[str, str] = {}
    unrated = 0
    topics = _children(root, "topics", path)
    for group in (g for t in topics for g in _children(t, "query_groups", path)):
        queries = [_query(q, placeholder, path) for q in _children(group, "queries", path)]
        alone = len(queries) == 1 and bool(group.get("name"))
        for query in queries:
            topic = str(group["name"]) if alone else query
            texts |= {topic: query} if topic != query else {}
            entries += [Rating(topic, d, g) for d, g in _gains(group, path)]
        unrated += 0 if group.get("relevant_documents") else len(queries)
    return Ratings(tuple(entries), texts).losing(_UNRATED, unrated)


def _children(node: Mapping[str, Any], name: str, path: str) -> list[Any]:
    """Return the parts of a node; without them, the node is its only part (as RRE reads it)."""
    return _objects(node, name, path) if name in node else [node]


def _query(node: Mapping[str, Any], placeholder: str, path: str) -> str:
    query = next((text for name, text in _leaves(node) if name == placeholder), None)
    if query is None:
        rule = f"a query must have the placeholder {placeholder}"
        raise InputError(path, rule, remedy="name it with query_placeholder")
    return query


def _gains(group: Mapping[str, Any], path: str) -> Iterator[tuple[str, float]]:
    """Yield documents with gains, from ``{document: {"gain": 2}}`` or ``{gain: [document]}``."""
    gains = group.get("relevant_documents") or {}
    if not isinstance(gains, Mapping):
        rule = "relevant_documents must be an object"
        raise InputError(path, rule, remedy="check that this is the format")
    for name, value in gains.items():
        if isinstance(value, Mapping):
            yield name, grade_of(_need(value, ("gain", "rating"), path), path)
        else:
            documents = _list(gains, name, path)
            yield from ((id_text(document, path), grade_of(name, path)) for document in documents)


def write_rre(ratings: Ratings, index: str) -> str:
    """Write a file of ratings for RRE, with a group of one query for each topic."""
    made = [
        {
            "name": topic,
            "queries": [
                {
                    "template": "query.json",
                    "placeholders": {_PLACEHOLDER: ratings.texts.get(topic, topic)},
                }
            ],
            "relevant_documents": {e.document: {"gain": number(e.grade)} for e in entries},
        }
        for topic, entries in ratings.of_topics().items()
    ]
    root = {"index": index, "id_field": "id", "query_placeholder": _PLACEHOLDER}
    return _text(root | {"topics": [{"description": index, "query_groups": made}]})


def _text(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _root(path: str) -> Mapping[str, Any]:
    root = read_whole_json(path, read_text(path).removeprefix("\ufeff"))
    if not isinstance(root, Mapping):
        raise InputError(path, "the file must hold a JSON object", remedy="check what is in it")
    return root


def _need(node: Any, names: Iterable[str], path: str) -> Any:
    wanted = tuple(names)
    for name in wanted:
        if isinstance(node, Mapping) and node.get(name) is not None:
            return node[name]
    rule = f"{' or '.join(wanted)} must be there"
    shown = json.dumps(node, ensure_ascii=False)[:72]
    raise InputError(path, rule, value=shown, remedy="check that this is the format")


def _id(node: Any, names: Iterable[str], path: str) -> str:
    """Return an id or the text of a query: a string, or a whole number."""
    return id_text(_need(node, names, path), path)


def _list(node: Any, name: str, path: str) -> list[Any]:
    members = _need(node, (name,), path)
    if not isinstance(members, list):
        raise _no_list(name, path)
    return members


def _objects(node: Any, name: str, path: str, *, optional: bool = False) -> list[Any]:
    """Return the members of a list, which must be objects; none where it may be missing."""
    is_there = not isinstance(node, Mapping) or node.get(name) is not None
    members = _list(node, name, path) if is_there or not optional else []
    if not all(isinstance(member, Mapping) for member in members):
        rule = f"{name} must be a list of objects"
        raise InputError(path, rule, remedy="check that this is the format")
    return members


def _no_list(name: str, path: str) -> InputError:
    return InputError(path, f"{name} must be a list", remedy="check that this is the format")
