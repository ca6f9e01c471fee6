"""Cards as files: compressed JSON with its hash, and nothing in it that could be run."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from poolwise.arrays import Floats, Integers
from poolwise.collection._identifiers import IdTable, starts_of
from poolwise.collection.files._sources import FileBytes
from poolwise.errors import InputError, OptionError
from poolwise.evidence.unknowns.relevance_model._features import Units
from poolwise.evidence.unknowns.relevance_model._summed_documents import SummedDocuments
from poolwise.measures._names import measure_named
from poolwise.provenance._files import write_file
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.provenance._recorded import recorded
from poolwise.results._records import digest
from poolwise.scores._standardization import SMOOTHINGS, StandardizationFactors
from poolwise.scores.cards._card import CardedRun, CollectionCard, JudgedContent, MeasureCard
from poolwise.scores.cards._standing import EVERY_KIND, Standing
from poolwise.scores.treatments._calibration import DifferenceErrors, LeftOutErrors
from poolwise.version import __version__

__all__ = ["CARD_VERSION", "LARGEST", "card_bytes", "read_card", "require_card", "write_card"]

CARD_VERSION = 1
"""Of the files: a reader refuses those of a later one."""
LARGEST = 1 << 28
"""Bytes of a card, once it is decompressed; that of TREC-8 has 9 million."""
_MARK = '{"poolwise card": '
_HASHED = ', "sha256": "'
_AGAIN = "get the card again from where it was published, or make it with card make"

Told = Mapping[str, Any]


@recorded
def card_bytes(card: CollectionCard) -> bytes:
    """Return the file of a card: the same bytes for the same card.

    Returns
    -------
    bytes
        Compressed JSON with its hash.

    Examples
    --------
    >>> from poolwise import make_card, simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> card = make_card(made.judgments, made.runs, "P@5")
    >>> card_bytes(card) == card_bytes(card)
    True
    """
    import gzip  # noqa: PLC0415, late: slow to import

    body = json.dumps(_told(card), ensure_ascii=True, allow_nan=False)[:-1]
    sealed = f'{body}{_HASHED}{digest(body.encode())}"}}\n'
    return gzip.compress(sealed.encode(), compresslevel=9, mtime=0)


@recorded
def write_card(card: CollectionCard, path: str | Path) -> None:
    """Write a card to a file, compressed JSON with its hash.

    Parameters
    ----------
    card : CollectionCard
        What :func:`~poolwise.make_card` made.
    path : str or Path
        The file; one that is there already is replaced.

    Examples
    --------
    >>> import tempfile
    >>> from poolwise import make_card, simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_card(make_card(made.judgments, made.runs, "P@5"), f"{folder}/made.card")
    ...     len(read_card(f"{folder}/made.card").runs)
    8
    """
    write_file(path, card_bytes(card))


def _told(card: CollectionCard) -> dict[str, Any]:
    return {
        "poolwise card": CARD_VERSION,
        "made by": __version__,
        "judgments": {
            "content": card.judgments.content,
            "counts": dict(card.judgments.counts),
            "scale": list(card.judgments.scale),
        },
        "pool": {
            "depth": card.depth,
            "whence": card.whence,
            "groups": card.groups,
            "told": card.told,
            "spreads": [[grade, *of] for grade, of in card.spreads.items()],
        },
        "units": {"what": card.units.what, "kinds": card.units.kinds, "given": card.units.given},
        "not calibrated": card.not_calibrated,
        "runs": [[run.name, run.content, run.kind, run.pooled] for run in card.runs],
        "references": list(card.references),
        "smoothing": card.smoothing,
        "measures": {name: _of_measure(measure) for name, measure in card.measures.items()},
        "documents": _of_documents(card.documents) if card.documents else None,
    }


def _of_measure(measure_card: MeasureCard) -> dict[str, Any]:
    factors, standing = measure_card.factors, measure_card.standing
    content = {
        "factors": {
            "topics": list(factors.topics),
            # Whole, so that scores standardized by them are equal to the last digit.
            "mean": _numbers(factors.mean),
            "deviation": _numbers(factors.deviation),
            "references": factors.references,
            "ddof": factors.ddof,
        },
        "standing": {
            "means": {kind: _numbers(of) for kind, of in standing.means.items()},
            **{name: _numbers(getattr(standing, name), 6) for name in _BY_TOPIC},
        },
    }
    if measure_card.errors is not None:
        content["errors"] = {
            name: _numbers(getattr(measure_card.errors, name), 6) for name in _ERRORS
        }
    if measure_card.differences is not None:
        content["differences"] = {
            name: _numbers(getattr(measure_card.differences, name), 6) for name in _DIFFERENCES
        }
    return content


_BY_TOPIC = ("best", "median", "worst")
_ERRORS = ("units", "hidden", "error", "deviation", "mean_error", "mean_deviation")
_DIFFERENCES = ("units", "error", "deviation")
_SUMS = {"fused": 8, "weight": 7}


def _of_documents(documents: SummedDocuments) -> dict[str, Any]:
    """Return the documents, topic by topic, a column each."""
    columns: dict[str, Floats | Integers] = {
        "grades": documents.grades,
        "best": documents.best.astype(np.int64),
        "second": np.where(np.isinf(documents.second), 0, documents.second).astype(np.int64),
        "nominated": documents.nominated.astype(np.int64),
        "groups": documents.groups,
        "holders": documents.holders,
        "fused": documents.fused,
        "weight": documents.weight,
    }
    columns |= {f"quality {level:g}": of for level, of in _by_level(documents)}
    digits = dict(_SUMS) | {name: 6 for name in columns if name.startswith("quality")}
    topics = {}
    for place, topic in enumerate(documents.topics):
        first, past = documents.starts[place : place + 2].tolist()
        ids = list(documents.ids.take(np.arange(first, past)))
        here = {n: _numbers(of[first:past], digits.get(n)) for n, of in columns.items()}
        topics[topic] = {"ids": ids, **here}
    return {
        "longest": documents.longest,
        "levels": documents.levels.tolist(),
        "topics": topics,
    }


def _by_level(documents: SummedDocuments) -> list[tuple[float, Floats]]:
    return list(zip(documents.levels.tolist(), documents.quality, strict=True))


def _numbers(values: Any, digits: int | None = None) -> list[Any]:
    """Return numbers as JSON has them: null where there is none; rounded where that is asked."""
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return list(array.tolist())
    rounded = array if digits is None else np.round(array, digits)
    # Whole numbers without a point, and nothing that JSON does not know.
    return (
        [_plain(x) for x in rounded.tolist()]
        if rounded.ndim == 1
        else [_numbers(row, digits) for row in rounded]
    )


def _plain(number: float) -> float | int | None:
    if math.isnan(number):
        return None
    return int(number) if number.is_integer() else number


@recorded
def read_card(path: str | Path) -> CollectionCard:
    """Read a card that ``poolwise card make`` wrote.

    It is data and nothing else, read within bounds: a file that was changed, has another form or
    is too large is an error.

    Returns
    -------
    CollectionCard

    Examples
    --------
    >>> read_card("nowhere.card")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: nowhere.card: a card must be a file that can be read; got 'No such
    file or directory'. Hint: check the path.
    """
    content = _opened(_content(str(path)), str(path))
    try:
        card = _card(content)
        _check(card)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        _refuse(str(path), f"a card has the form of its version, and this one does not: {error}")
    return card


def _content(path: str) -> str:
    """Return the text of a file, if it is not too large to be a card."""
    if not Path(path).is_file():
        problem = "a folder" if Path(path).is_dir() else "No such file or directory"
        rule = "a card must be a file that can be read"
        raise InputError(path, rule, value=problem, remedy="check the path")
    parts, size = [], 0
    for part in FileBytes(path):
        size += len(part)
        if size > LARGEST:
            _refuse(path, f"a card has at most {LARGEST >> 20} MB once it is decompressed")
        parts.append(bytes(part))
    return b"".join(parts).decode("utf-8", "replace")


def _opened(text: str, path: str) -> Told:
    """Return what the file says, if it is as it was written."""
    if not text.startswith(_MARK):
        _refuse(path, "a card must be a file that card make wrote")
    body, _, seal = text.rpartition(_HASHED)
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        _refuse(path, f"a card must be JSON: {error}")
    version = content.get("poolwise card")
    if isinstance(version, int) and version > CARD_VERSION:
        rule = f"the version of a card must be {CARD_VERSION} or older"
        raise InputError(path, rule, value=version, remedy="install a newer poolwise")
    if seal.rstrip('"}\n') != digest(body.encode()):
        _refuse(path, "a card must be as it was written, and its hash says that it was changed")
    opened: Told = content
    return opened


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _refuse(path: str, rule: str) -> NoReturn:
    raise InputError(path, rule, remedy=_AGAIN)


def _card(content: Told) -> CollectionCard:
    judgments, pool, documents = content["judgments"], content["pool"], content["documents"]
    counts = {str(topic): int(count) for topic, count in judgments["counts"].items()}
    scale = tuple(float(grade) for grade in judgments["scale"])
    return CollectionCard(
        judgments=JudgedContent(str(judgments["content"]), counts, scale),
        depth=int(pool["depth"]),
        whence=str(pool["whence"]),
        groups=int(pool["groups"]),
        told=bool(pool["told"]),
        units=Units(**_typed(content["units"], {"what": str, "kinds": int, "given": int})),
        runs=tuple(
            CardedRun(str(name), str(content), str(kind), bool(pooled))
            for name, content, kind, pooled in content["runs"]
        ),
        references=tuple(map(str, content["references"])),
        measures={str(n): _read_measure(n, measure) for n, measure in content["measures"].items()},
        documents=_read_documents(documents) if documents is not None else None,
        spreads={float(g): (float(a), float(b)) for g, a, b in pool["spreads"]},
        not_calibrated=str(content["not calibrated"]),
        smoothing=str(content["smoothing"]),
        provenance=WITHOUT_FILES,
    )


def _typed(content: Told, kinds: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    return {name: kind(content[name]) for name, kind in kinds.items()}


def _read_measure(name: str, content: Told) -> MeasureCard:
    measure = measure_named(name)
    factors, standing = content["factors"], content["standing"]
    means = {str(kind): _floats(of) for kind, of in standing["means"].items()}
    return MeasureCard(
        measure,
        StandardizationFactors(
            measure,
            tuple(map(str, factors["topics"])),
            _floats(factors["mean"]),
            _floats(factors["deviation"]),
            int(factors["references"]),
            int(factors["ddof"]),
        ),
        Standing(means, *(_floats(standing[of]) for of in _BY_TOPIC)),
        _read_errors(content["errors"]) if "errors" in content else None,
        _read_differences(content["differences"]) if "differences" in content else None,
    )


def _read_errors(content: Told) -> LeftOutErrors:
    numbers = {name: _floats(content[name]) for name in _ERRORS[2:]}
    units, hidden = (_counts(content[name]) for name in _ERRORS[:2])
    # Which run it was, nobody needs to know.
    return LeftOutErrors(np.full(len(units), -1, np.intp), units, hidden, **numbers)


def _read_differences(content: Told) -> DifferenceErrors:
    return DifferenceErrors(
        _counts(content["units"]), _floats(content["error"]), _floats(content["deviation"])
    )


def _read_documents(content: Told) -> SummedDocuments:
    topics = content["topics"]
    levels = _floats(content["levels"])
    sizes = [len(of["ids"]) for of in topics.values()]

    def column(name: str) -> list[Any]:
        parts = [of[name] for of in topics.values()]
        if [len(part) for part in parts] != sizes:
            raise ValueError(f"the column {name!r} must have an entry for each document")
        return [number for part in parts for number in part]

    second = _floats(column("second"))
    return SummedDocuments(
        topics=tuple(map(str, topics)),
        starts=starts_of(sizes),
        ids=IdTable.from_strings(map(str, column("ids"))),
        grades=_floats(column("grades")),
        best=_floats(column("best")),
        second=np.where(second > 0, second, np.inf),
        nominated=_counts(column("nominated")) > 0,
        levels=levels,
        quality=np.array([_floats(column(f"quality {level:g}")) for level in levels]).reshape(
            len(levels), sum(sizes)
        ),
        longest=int(content["longest"]),
        groups=_counts(column("groups")),
        holders=_counts(column("holders")),
        fused=_floats(column("fused")),
        weight=_floats(column("weight")),
    )


def _floats(values: Sequence[Any]) -> Floats:
    """Return numbers, NaN for null; anything else is an error."""
    return np.array(values, np.float64)


def _counts(values: Sequence[Any]) -> Integers:
    counts = np.array(values)
    if counts.dtype.kind not in "iu" and len(counts):
        raise ValueError("counts must be whole numbers")
    return counts.astype(np.int64)


def _check(card: CollectionCard) -> None:
    """Raise where numbers contradict each other: sums of documents, sizes of columns."""
    _require(card.depth > 0 and card.groups > 0, "depth and groups must be at least 1")
    _require(card.smoothing in SMOOTHINGS, f"no smoothing is called {card.smoothing!r}")
    for measure in card.measures.values():
        _check_measure(measure)
    documents = card.documents
    if documents is None:
        return
    _require(len(documents.grades) > 0, "the documents of a card must not be none")
    positive = (documents.fused, documents.weight, documents.best)
    _require(all((of > 0).all() for of in positive), "sums of ranks must be above 0")
    _require((documents.groups > 0).all(), "a document must be held by a group")
    _require(np.isfinite(documents.quality).all(), "qualities must be numbers")
    _require((documents.second >= documents.best).all(), "a second rank must not be the best")
    _require(documents.longest > 0, "lists must have a rank")
    grades = documents.grades[~np.isnan(documents.grades)]
    _require(np.isin(grades, card.judgments.scale).all(), "grades must be on the scale")


def _check_measure(measure_card: MeasureCard) -> None:
    topics = len(measure_card.factors.topics)
    sizes = {len(of) for of in (measure_card.factors.mean, measure_card.factors.deviation)}
    sizes |= {len(getattr(measure_card.standing, name)) for name in _BY_TOPIC}
    _require(
        sizes == {topics},
        f"the columns of {measure_card.measure} must have an entry for each topic",
    )
    _require(measure_card.factors.ddof in (0, 1), "ddof must be 0 or 1")
    ranked = measure_card.standing.means.get(EVERY_KIND, np.empty(0))
    _require(len(ranked) > 0, "original runs must have means")
    if measure_card.errors:
        runs = {len(getattr(measure_card.errors, name)) for name in _ERRORS}
        _require(
            len(runs) == 1 and measure_card.errors.error.ndim == 2, "errors must be runs × topics"
        )
        _require(
            measure_card.errors.error.shape == measure_card.errors.deviation.shape,
            "errors must be pairs",
        )
    if measure_card.differences:
        pairs = {len(getattr(measure_card.differences, name)) for name in _DIFFERENCES}
        _require(len(pairs) == 1, "differences must have an entry for each pair")


def _require(holds: Any, rule: str) -> None:
    if not holds:
        raise ValueError(rule)


def require_card(card: Any) -> CollectionCard:
    """Return a card as it is, or read it from its file.

    Examples
    --------
    >>> require_card(5)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: card: must be a card, or the file of one; got int. Hint: use
    read_card, or make_card.
    """
    if isinstance(card, CollectionCard):
        return card
    if isinstance(card, str | Path):
        return read_card(card)
    raise OptionError(
        f"card: must be a card, or the file of one; got {type(card).__name__}. Hint: use "
        "read_card, or make_card."
    )
