"""What files of a ledger look like, as JSON Schemas, and a check of files against them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from poolwise.collection.files._inputs import TIES
from poolwise.findings.history._entries import RESULT_KINDS

__all__ = [
    "JOURNAL_SCHEMAS",
    "RESULT_SCHEMA",
    "SCHEMA_VERSION",
    "VERSION_SCHEMA",
    "entry_error",
    "schema_errors",
]

Schema = Mapping[str, Any]

SCHEMA_VERSION = 1
"""Of the files: a reader refuses those of a later one."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _object(properties: Schema, *, optional: tuple[str, ...] = ()) -> Schema:
    """Return the schema of an object with these members and no others."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


_TEXT: Schema = {"type": "string"}
_DATE: Schema = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_HASH: Schema = {"type": "string", "pattern": "^([0-9a-f]{64})?$"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_SCORES: Schema = {"type": "array", "items": {"type": ["number", "null"]}}
_COUNTS: Schema = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_FILE = _object({"path": _TEXT, "sha256": _HASH})
_ADDED = _object({"by": _TEXT, "date": _DATE, "poolwise": _TEXT})
_KIND: Schema = {"type": "string", "enum": list(RESULT_KINDS)}

_MEASURED = _object(
    {
        "version": _TEXT,
        "value": _SCORES,
        "lower": _SCORES,
        "upper": _SCORES,
        "least": _SCORES,
    },
    optional=("lower", "upper", "least"),
)
"""The scores of one measure by topic: over which unjudged documents their ranges are, see
``MeasuredScores``."""

_METADATA: Schema = {
    "type": "object",
    "properties": {
        "year": {"type": "integer"},
        "original": {"type": "boolean"},
        "automatic": {"type": "boolean"},
    },
    "additionalProperties": {"type": ["string", "number", "boolean", "array"]},
}

RESULT_SCHEMA: Schema = {
    "$schema": _DIALECT,
    "title": "One result of a ledger of poolwise",
    **_object(
        {
            "schema": {"type": "integer", "enum": [SCHEMA_VERSION]},
            "kind": _KIND,
            "collection": _TEXT,
            "version": _TEXT,
            "run": _TEXT,
            "file": _FILE,
            "depth": {"type": "integer", "minimum": 0},
            "missing": _TEXTS,
            "scores": {"type": "object", "additionalProperties": _MEASURED},
            "means": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "number"}},
            },
            "metadata": _METADATA,
            "added": _ADDED,
            "retracted": _object({"reason": _TEXT, "by": _TEXT, "date": _DATE}),
            "sha256": _HASH,
        },
        optional=("retracted",),
    ),
}
"""Of the file of one run."""

VERSION_SCHEMA: Schema = {
    "$schema": _DIALECT,
    "title": "One version of a collection in a ledger of poolwise",
    **_object(
        {
            "schema": {"type": "integer", "enum": [SCHEMA_VERSION]},
            "kind": _KIND,
            "collection": _TEXT,
            "version": _TEXT,
            "content": _HASH,
            "file": _FILE,
            "topics": _TEXTS,
            "ties": {"type": "string", "enum": ["", *TIES]},
            "grades": {"type": "array", "items": {"type": "number"}},
            "judged": {"type": "object", "additionalProperties": _COUNTS},
            "before": _TEXT,
            "added": _ADDED,
            "sha256": _HASH,
        }
    ),
}
"""Of the file about the judgments, or the table, that runs are scored by."""

_TOPICS: Schema = {"type": "integer", "minimum": 1, "maximum": 10_000}

JOURNAL_SCHEMAS: Mapping[str, Schema] = {
    "plan": {
        "type": "object",
        "properties": {
            "measure": _TEXT,
            **{name: {"type": "number"} for name in ("delta", "sigma", "power", "alpha")},
            "first": _TOPICS,
            "most": {"type": "integer", "minimum": 0},
            "looks": {"type": "array", "items": _TOPICS},
            "order": _TEXTS,
        },
        "required": [
            *("measure", "delta", "sigma", "power", "alpha"),
            *("first", "most", "looks", "order"),
        ],
    },
    "round": {
        "type": "object",
        "properties": {
            "systems": _TEXTS,
            "planned": _TOPICS,
            "differences": {"type": "object", "additionalProperties": {"type": "number"}},
        },
        "required": ["systems", "planned", "differences"],
    },
    "result": {"type": "object"},
}
"""Of the entries of a journal, by their kind: what is read again of each."""


def entry_error(entry: Mapping[str, Any]) -> str:
    """Say what an entry of a journal has other than its kind asks for; empty for nothing.

    Examples
    --------
    >>> entry_error({"entry": "round", "systems": ["a", "b"], "planned": 0, "differences": {}})
    'planned must be 1 or more'
    """
    kind = entry.get("entry")
    schema = JOURNAL_SCHEMAS.get(kind) if isinstance(kind, str) else None
    return next(schema_errors(entry, schema), "") if schema else "entry must be its kind"


def schema_errors(value: Any, schema: Schema, where: str = "") -> Iterator[str]:
    """Yield what a value has other than its schema says, as far as our schemas go.

    Examples
    --------
    >>> list(schema_errors({"path": 7}, _FILE))
    ['path must be a string', 'sha256 is missing']
    """
    kinds = schema.get("type", ())
    allowed = [kinds] if isinstance(kinds, str) else kinds
    name = where or "the file"
    if allowed and not any(_IS[kind](value) for kind in allowed):
        yield f"{name} must be {' or '.join(_A[kind] for kind in allowed)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{name} must be one of {', '.join(map(str, schema['enum']))}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{name} must be {schema['minimum']} or more"
    if "maximum" in schema and value > schema["maximum"]:
        yield f"{name} must be {schema['maximum']} or less"
    if "pattern" in schema and not _matches(schema["pattern"], value):
        yield f"{name} must look like {schema['pattern']}"
    if isinstance(value, dict):
        yield from _members(value, schema, where)
    if isinstance(value, list) and "items" in schema:
        yield from _items(value, schema["items"], name)


def _members(record: Mapping[str, Any], schema: Schema, where: str) -> Iterator[str]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name, value in record.items():
        place = f"{where}.{name}" if where else name
        if name in properties:
            yield from schema_errors(value, properties[name], place)
        elif others is False:
            yield f"{place} is not known"
        elif isinstance(others, Mapping):
            yield from schema_errors(value, others, place)
    for name in schema.get("required", ()):
        if name not in record:
            yield f"{where}.{name} is missing" if where else f"{name} is missing"


def _items(values: list[Any], schema: Schema, where: str) -> Iterator[str]:
    for i, item in enumerate(values):
        problem = next(schema_errors(item, schema, f"{where}[{i}]"), None)
        if problem:
            yield problem
            return  # one is enough: a wrong list is mostly wrong throughout


def _matches(pattern: str, text: str) -> bool:
    import re  # noqa: PLC0415 -- late, as elsewhere

    return re.search(pattern, text) is not None


_LARGEST = 1.7976931348623157e308
_IS: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: (
        # NaN, which JSON does not know, is not below any limit.
        isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST
    ),
    "null": lambda value: value is None,
}
_A = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "null": "null",
}
