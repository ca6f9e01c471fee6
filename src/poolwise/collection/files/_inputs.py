"""Whatever can be read, as inputs: what their systems are called, and how they are scanned."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Sized
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.collection.files._native import (
    JudgedMarks,
    Marks,
    Options,
    Scanned,
    Scanner,
    TopicChoice,
    is_native,
)
from poolwise.collection.files._sources import (
    MAX_RATIO,
    FileBytes,
    FilePart,
    Report,
    error_of,
    files_beside,
    find_files,
    is_stored,
    judgment_files,
    notices_of,
    read_ahead,
)
from poolwise.collection.files._topic_places import split_file
from poolwise.collection.formats._parquet import (
    PARQUET,
    is_one_table,
    read_parquet,
    read_parquet_folder,
)
from poolwise.collection.formats._rows import (
    MemoryBytes,
    Rows,
    are_records,
    id_text,
    id_texts,
    is_path,
    judgments_in_rows,
    name_of,
    number_text,
    number_texts,
    runs_in_rows,
    unfolded,
)
from poolwise.collection.formats._text_files import (
    JSON,
    JSONL,
    PeekedBytes,
    form_of,
    has_levels,
    read_levels,
    read_text_table,
)
from poolwise.errors import InputError, OptionError, require_choice, require_workers
from poolwise.provenance._provenance import Notice, Source
from poolwise.results._progress import counting
from poolwise.words import counted

if TYPE_CHECKING:
    from poolwise.collection.files._python_scanner import PlainScanner

__all__ = [
    "DUPLICATES",
    "LAYOUTS",
    "MALFORMED",
    "NAME_RULES",
    "TIES",
    "Input",
    "ScannedGrades",
    "count_workers",
    "distinct_names",
    "holds_systems",
    "is_table",
    "judged_topics",
    "judgment_input",
    "name_inputs",
    "name_systems",
    "ranked_topics",
    "reading_options",
    "run_inputs",
    "scan",
    "scan_grades",
]

Input = FileBytes | MemoryBytes

_DICT = "<dict>"
"""What messages call a dict that is not from a file."""
_IF_RUNS = "if these are runs, pass the judgments first and the runs second"


def run_inputs(sources: Sequence[Any], layout: str, *, max_ratio: float = MAX_RATIO) -> list[Input]:
    """Return one input for each system; a list of sources stands for the sources in it."""
    whole = [sources] if are_records(sources) else sources
    inputs = [run_input for source in whole for run_input in _runs_of(source, layout, max_ratio)]
    if not inputs:
        raise OptionError(
            "sources: there must be one at least. Hint: name a file, a glob or a folder."
        )
    return name_inputs(inputs)


def name_inputs(inputs: list[Input]) -> list[Input]:
    """Name the systems of memory that have no name: ``run``, or ``run1`` and so on."""
    nameless = [i for i in inputs if isinstance(i, MemoryBytes) and not i.names_itself]
    for number, nameless_input in enumerate(nameless, start=1):
        nameless_input.system = "run" if len(nameless) == 1 else f"run{number}"
    return inputs


def judgment_input(source: Any, layout: str, *, max_ratio: float = MAX_RATIO) -> Input:
    """Return the one input that holds the judgments."""
    if not is_path(source):
        return _judgments_in(unfolded(source, "judgments"))
    files = judgment_files(source)
    # Judgments come as one file, but an engine for large data writes one table as a folder.
    if len(files) > 1 and all(path.endswith(PARQUET) for path in files):
        return judgments_in_rows(read_parquet_folder(str(source), files, max_ratio))
    if len(files) > 1:
        rule = "judgments are read from one file"
        raise InputError(
            str(source), rule, value=counted(len(files), "file"), remedy="name one of them"
        )
    path = files[0]
    if is_table(path):
        return _of_tool(path) or _judgments_in(_table(path, "judgments", max_ratio), path)
    peeked = PeekedBytes(path, layout, max_ratio=max_ratio)
    if layout == "auto" and is_stored(path) and has_levels(peeked.first_line()):
        return read_levels(path)
    return peeked


def _of_tool(path: str) -> MemoryBytes | None:
    form = form_of(path)
    if form not in (JSON, JSONL):
        return None
    # late: the formats read TREC's files, too, and so import what imports this
    from poolwise.collection.formats._catalogue import of_tool  # noqa: PLC0415

    return of_tool(path, whole=form == JSON)


def _judgments_in(shape: Any, where: str = _DICT) -> MemoryBytes:
    if isinstance(shape, Rows):
        return judgments_in_rows(shape)
    if not isinstance(shape, Mapping):
        rule = "a list of judgments must hold records of topic, document and grade"
        remedy = f"pass tuples such as ('401', 'FT911-1', 2), or a dict; {_IF_RUNS}"
        raise InputError("<list>", rule, value=next(iter(shape), None), remedy=remedy)
    if not holds_systems(shape) or _are_ids(shape):
        return judged_topics(shape, where)
    return _only_judgments(shape, where)


def _are_ids(shape: Mapping[Any, Any]) -> bool:
    """Say whether each topic has a single relevant document, by its id."""
    return all(isinstance(value, str) for value in shape.values())


def _only_judgments(shape: Mapping[Any, Any], where: str) -> MemoryBytes:
    """Return the judgments of a dict of tables, such as the splits of a dataset, if it has one."""
    tables = [*shape.values()]
    if any(isinstance(table, Mapping) for table in tables):
        raise InputError(
            where,
            "these must be judgments, and they look like runs: a system maps topics to documents",
            remedy="pass the judgments first and the runs second",
        )
    if len(tables) > 1:
        named = ", ".join(map(str, shape))
        rule = "judgments are read from one table"
        raise InputError(where, rule, value=named, remedy=f"pass one of them; {_IF_RUNS}")
    return _judgments_in(unfolded(tables[0], "judgments"), where)


def _runs_of(source: Any, layout: str, max_ratio: float) -> list[Input]:
    if is_path(source):
        files = find_files(source)
        if files and files[0].endswith(PARQUET) and is_one_table(files):
            return [*runs_in_rows(read_parquet_folder(str(source), files, max_ratio))]
        inputs = [i for path in files for i in _runs_of_file(path, layout, max_ratio)]
        # A folder has one notice, whichever of its runs carries it.
        inputs[0].notices += files_beside(source)
        return inputs
    shape = unfolded(source, "runs")
    if isinstance(shape, list):
        return [run_input for each in shape for run_input in _runs_of(each, layout, max_ratio)]
    if isinstance(shape, Rows) or not holds_systems(shape):
        return _runs_in(shape, _DICT, name_of(source))
    _require_entries(shape)
    return [
        run_input
        for name, run in shape.items()
        for run_input in _called(id_text(name, _DICT), _runs_of(run, layout, max_ratio))
    ]


def _require_entries(systems: Mapping[Any, Any]) -> None:
    """Raise if a system has nothing, and say which: what never ran has no score."""
    for name, run in systems.items():
        if isinstance(run, Sized) and not len(run):
            rule = f"system {name} must have at least one entry, and has none"
            raise InputError(_DICT, rule, remedy="check why its run is empty, or leave it out")


def _runs_in(shape: Mapping[Any, Any] | Rows, where: str, name: str = "") -> list[Input]:
    """Return the runs of rows, or the one of a dict by topic."""
    if isinstance(shape, Rows):
        return [*runs_in_rows(shape)]
    made = ranked_topics(shape, where)
    made.system = name
    return [made]


def _called(name: str, inputs: list[Input]) -> list[Input]:
    """Give a system the name that it has in a dict; several keep theirs behind it."""
    for run_input in inputs:
        run_input.system = (
            name if len(inputs) == 1 else f"{name}/{run_input.system or run_input.path}"
        )
    return inputs


def _runs_of_file(path: str, layout: str, max_ratio: float) -> list[Input]:
    if not is_table(path):
        return [FileBytes(path, layout, max_ratio=max_ratio)]
    shape = _table(path, "runs", max_ratio)
    if isinstance(shape, Mapping) and _MTEB in shape:
        return _runs_of_mteb(shape, path)
    if isinstance(shape, Rows) or not holds_systems(shape):
        return _runs_in(shape, path)
    _require_topics(shape, path)
    return [
        run_input
        for name, topics in shape.items()
        for run_input in _called(id_text(name, path), _runs_in(topics, path))
    ]


_MTEB = "mteb_model_meta"
"""What a file of predictions by MTEB tells of the model, beside them."""


def _runs_of_mteb(shape: Mapping[Any, Any], path: str) -> list[Input]:
    """Return the run of a model, out of its predictions by subset and split."""
    predictions = {
        f"{subset}/{split}": topics
        for subset, splits in shape.items()
        if subset != _MTEB
        for split, topics in splits.items()
    }
    if len(predictions) != 1:
        rule = "a file of predictions must have those of one subset and split"
        remedy = "write each into a file of its own"
        raise InputError(path, rule, value=", ".join(predictions), remedy=remedy)
    (topics,) = predictions.values()
    return _called(str(shape[_MTEB].get("model_name", "")), _runs_in(topics, path))


def _require_topics(systems: Mapping[Any, Any], path: str) -> None:
    """Raise unless each system of a JSON file maps topics to documents."""
    for name, topics in systems.items():
        if not isinstance(topics, Mapping):
            rule = f"system {name} must map topics to documents"
            remedy = "write {system: {topic: {document: score}}}"
            raise InputError(path, rule, value=topics, remedy=remedy)


def is_table(path: str) -> bool:
    """Say whether a file is read as a table: Parquet, CSV, JSON or JSONL."""
    return path.endswith(PARQUET) or bool(form_of(path))


def _table(path: str, kind: str, max_ratio: float) -> Mapping[Any, Any] | Rows:
    if path.endswith(PARQUET):
        return read_parquet(path, max_ratio)
    return read_text_table(path, kind, max_ratio=max_ratio)


_Entries = tuple[list[str], list[str]]
"""Documents and their numbers, as text."""

_SETS = (set, frozenset)
_LISTS = (list, tuple)


def holds_systems(shape: Mapping[Any, Any]) -> bool:
    """Say whether a dict is of systems, or of one system's topics.

    Examples
    --------
    >>> holds_systems({"bm25": {"1": {"a": 0.5}}}), holds_systems({"bm25": {"1": ["a", "b"]}})
    (True, True)
    >>> holds_systems({"1": {"a": 0.5}}), holds_systems({"1": ["a", "b"]})
    (False, False)
    """
    # An empty value tells nothing: {"1": {}} could be a topic or a system.
    telling = (v for v in shape.values() if not isinstance(v, Collection) or len(v))
    value: Any = next(telling, {})
    if isinstance(value, Mapping):
        inner = next(iter(value.values()), None)
        return isinstance(inner, Mapping | set | frozenset) or _is_list(inner)
    if _is_list(value):
        return are_records(value)
    return not isinstance(value, (*_SETS, Real)) and value is not None


def ranked_topics(topics: Mapping[Any, Any], where: str) -> MemoryBytes:
    r"""Return a system of ``{topic: …}``: documents with scores, or a list with the best first.

    The documents of a set have no order: they are tied, and counted as such.

    Examples
    --------
    >>> made = ranked_topics({"1": ["b", "a"]}, "<dict>")
    >>> bytes(next(iter(made))).replace(b"\x1f", b" ").split(b"\n")
    [b'1 b 0.0 0', b'1 a -1.0 1']
    """
    columns = _columns(topics, where, ranked=True)
    sets = sum(isinstance(documents, _SETS) for documents in topics.values())
    unordered = Notice("sets of documents without an order, all of them tied", sets)
    return MemoryBytes(where, columns, notices=(unordered,) if sets else ())


def judged_topics(topics: Mapping[Any, Any], where: str) -> MemoryBytes:
    """Return the judgments of ``{topic: …}``: documents with grades, or the relevant ones alone."""
    return MemoryBytes(where, _columns(topics, where, ranked=False))


def _columns(topics: Mapping[Any, Any], where: str, *, ranked: bool) -> list[list[str]]:
    names = [id_text(topic, where) for topic in topics]
    if len(set(names)) < len(names):  # as 1 and "1" are
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        rule = "a topic must have one entry, and two keys stand for the same"
        raise InputError(where, rule, value=twice, remedy="write all ids as strings")
    columns: list[list[str]] = [[], [], [], []]
    for topic, documents in zip(names, topics.values(), strict=True):
        ids, numbers = _entries(documents, where, ranked=ranked)
        places = map(str, range(len(ids)))
        for column, part in zip(columns, ([topic] * len(ids), ids, numbers, places), strict=True):
            column.extend(part)
    # Without any entry there are no columns either.
    return columns[: 4 if ranked else 3] if columns[0] else []


def _entries(documents: Any, where: str, *, ranked: bool) -> _Entries:
    if isinstance(documents, Mapping):
        return id_texts([*documents], where), number_texts([*documents.values()])
    if isinstance(documents, _SETS):
        return id_texts([*documents], where), ["0" if ranked else "1"] * len(documents)
    if isinstance(documents, str) and not ranked:
        return [id_text(documents, where)], ["1"]
    if not _is_list(documents):
        raise _no_documents(documents, where)
    pairs = [_entry(item, i, where, ranked=ranked) for i, item in enumerate(documents)]
    return [document for document, _ in pairs], [number for _, number in pairs]


def _entry(item: Any, place: int, where: str, *, ranked: bool) -> tuple[str, str]:
    """Return a document of a list: with its number, or with one that its place gives it."""
    number: Any = -place if ranked else 1
    if isinstance(item, Mapping):
        rows = Rows.of(where, {name: [value] for name, value in item.items()})
        valued = rows.find("score" if ranked else "grade")
        return rows.ids("document")[0], number_text(item[valued] if valued else number)
    if isinstance(item, _LISTS):
        if len(item) != 2:
            raise _no_documents(item, where)
        item, number = item
    return id_text(item, where), number_text(number)


def _is_list(value: Any) -> bool:
    """Say whether a value is in order: a list, a tuple or an array."""
    return isinstance(value, _LISTS) or getattr(value, "ndim", 0) == 1


def _no_documents(value: Any, where: str) -> InputError:
    return InputError(
        where,
        "a topic must map documents to numbers, or list documents",
        value=value,
        remedy="pass {topic: {document: number}}, {topic: [document, …]} or, for runs, "
        "{system: {topic: …}}",
    )


NAME_RULES = ("auto", "tag", "file")
"""What a system can be called by."""

_ENDINGS = (
    *(".gz", ".xz", ".bz2", ".zst", ".txt", ".tsv", ".run", ".trec", ".res", ".eval"),
    *(".parquet", ".pq", ".csv", ".json", ".jsonl", ".ndjson"),
)


def distinct_names(
    tags: Sequence[str], paths: Sequence[str], rule: str = "auto", *, inputs: Sequence[str] = ()
) -> tuple[str, ...]:
    """Name each run, and raise where one is given twice, or where two would have one name.

    ``inputs`` says what each was read from, where that is not its path.

    Examples
    --------
    >>> distinct_names(["mine", "mine"], ["x/b.gz", "x/b.gz"])
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: x/b.gz: each run must be read once, and each system have a name of
    its own; got 'x/b.gz'. Hint: remove the second, or rename it.
    """
    names = name_systems(tags, paths, rule)
    repeated = next((n for i, n in enumerate(names) if n in names[:i]), None)
    if repeated is not None:
        raise InputError(
            (inputs or paths)[names.index(repeated)],
            "each run must be read once, and each system have a name of its own",
            value=repeated,
            remedy="remove the second, or rename it"
            + (", or use names='file'" if rule == "tag" else ""),
        )
    return names


def name_systems(tags: Sequence[str], paths: Sequence[str], rule: str = "auto") -> tuple[str, ...]:
    """Name each run by its tag where no other has it, otherwise by its file.

    Rule ``tag`` takes the tags as they are, ``file`` the files' names without their endings, or
    the whole paths of those that would be equal.

    Examples
    --------
    >>> name_systems(["bm25", "mine", "mine"], ["a.run", "x/b.gz", "x/c.gz"])
    ('bm25', 'b', 'c')
    """
    if rule == "tag":
        return tuple(tags)
    stems = [_stem(path) for path in paths]
    stem_count, tag_count = Counter(stems), Counter(tags)
    files = [s if stem_count[s] == 1 else p for s, p in zip(stems, paths, strict=True)]
    named = [t if t and tag_count[t] == 1 else f for t, f in zip(tags, files, strict=True)]
    distinct = len(set(named)) == len(named)
    return tuple(named if rule == "auto" and distinct else files)


def _stem(path: str) -> str:
    name = Path(path).name
    for ending in _ENDINGS:
        name = name.removesuffix(ending) or name
    return name


_Reading = Callable[
    [Sequence[Input], Sequence[Options], int],
    AbstractContextManager["tuple[Scanner | PlainScanner, list[Report]]"],
]

# The numbers follow the enumeration of native/parse.hpp.
LAYOUTS = {"auto": 0, "trec": 1, "columns": 2, "tabs": 3, "memory": 4}
# The numbers follow the enumerations of native/options.hpp.
TIES = {"trec_eval": 0, "trec_eval9": 1, "rank": 2, "docid": 3}
DUPLICATES = {"error": 0, "first": 1, "last": 2, "best": 3}
"""What may become of a document that a list or the judgments of a topic name twice."""
MALFORMED = {"error": 0, "skip": 1}
_FILE_LAYOUTS = ("auto", "trec", "columns", "tabs")


def scan(
    inputs: Sequence[Input], options: Sequence[Options], workers: int | None
) -> tuple[Scanned, list[Report]]:
    """Read the inputs; the first of them with a problem raises."""
    workers = count_workers(workers)
    reading: _Reading = _reading if is_native() else _reading_in_python
    with reading(inputs, options, workers) as (scanner, reports):
        for source, report in zip(inputs, reports, strict=True):
            if report.problem:
                raise error_of(report.problem, source.path)
        return scanner.tables(workers=workers), reports


def count_workers(workers: int | None) -> int:
    """Return the number of threads: all cores for None, and for what is below 0."""
    require_workers(workers)
    return workers if workers is not None and workers > 0 else os.cpu_count() or 1


def _scan_marks(
    inputs: Sequence[Input],
    options: Sequence[Options],
    workers: int | None,
    judged: JudgedMarks,
    choose: TopicChoice,
    *,
    beyond: int,
) -> tuple[Marks, list[Report]] | None:
    """Read nothing but marks; None where that is not enough to rank or to say what is wrong."""
    with _reading(inputs, options, count_workers(workers), judged) as (scanner, reports):
        if any(report.problem for report in reports):
            return None
        return scanner.marks(choose, beyond=beyond), reports


@contextmanager
def _reading(
    inputs: Sequence[Input],
    options: Sequence[Options],
    workers: int,
    judged: JudgedMarks | None = None,
) -> Iterator[tuple[Scanner, list[Report]]]:
    """Yield the scanner when it has read all inputs, sealed unless there is a problem.

    A large file is read in parts first. That does not do where a topic stands in two parts, and
    where anything is odd, since a part does not know the numbers of its lines.
    """
    parts = _parts(inputs, options, workers)
    if len(parts) > 1:
        how = options[0]
        of_parts = Options(0, LAYOUTS["trec"], how.ties, how.duplicates, how.skip_malformed)
        with Scanner([of_parts] * len(parts), one_run=True, judged=judged) as scanner:
            inputs[0].source = Source.of_file(inputs[0].path)
            reports = scanner.read_files(parts, workers=workers)
            _check_unchanged(inputs)
            odd = any(
                r.problem or r.skipped or r.repeated or r.longer or r.renamed for r in reports
            )
            odd = odd or len({r.tag for r in reports}) > 1
            if not odd and scanner.seal():
                yield scanner, reports[-1:]
                return
    with Scanner(options, judged=judged) as scanner:
        reports = _read(scanner, inputs, workers)
        if not any(report.problem for report in reports):
            scanner.seal()
        yield scanner, reports


@contextmanager
def _reading_in_python(
    inputs: Sequence[Input], options: Sequence[Options], _workers: int
) -> "Iterator[tuple[PlainScanner, list[Report]]]":
    """Yield the twin of the native scanner, which reads one input after another."""
    # late: where there is a native library, nobody needs its twin
    from poolwise.collection.files._python_scanner import PlainScanner  # noqa: PLC0415

    with PlainScanner(options) as scanner:
        reading = enumerate(counting(inputs, "files read"))
        yield scanner, [scanner.read(i, blocks) for i, blocks in reading]


def _read(scanner: Scanner, inputs: Sequence[Input], workers: int) -> list[Report]:
    """Read plain files without Python's help, and anything else with it."""
    plain = [source.plain() if isinstance(source, FileBytes) else None for source in inputs]
    parts = [part for part in plain if part]
    if len(parts) == len(inputs):
        reports = scanner.read_files(parts, workers=workers)
        _check_unchanged(inputs)
        return reports
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415, late: slow to import

    with ThreadPoolExecutor(workers) as pool:
        try:
            if len(inputs) == 1 and workers > 1:
                return [scanner.read(0, read_ahead(inputs[0], pool))]
            read = pool.map(scanner.read, range(len(inputs)), inputs)
            return list(counting(read, "files read", len(inputs)))
        except BaseException:
            scanner.stop()  # or the pool would wait until all inputs are read
            raise


def _check_unchanged(inputs: Sequence[Input]) -> None:
    for source in inputs:
        if isinstance(source, FileBytes):
            source.check_unchanged()


def _parts(inputs: Sequence[Input], options: Sequence[Options], workers: int) -> list[FilePart]:
    """Return the parts of a lone run of TREC's layout, or of one that may have it."""
    may_split = (
        len(inputs) == 1
        and workers > 1
        and os.name == "posix"
        and isinstance(inputs[0], FileBytes)
        and not options[0].judgments
        and options[0].layout in (LAYOUTS["auto"], LAYOUTS["trec"])
    )
    return split_file(inputs[0].path, workers) if may_split else []


def reading_options(
    source: Input, duplicates: str, malformed: str, *, ties: str = "trec_eval", judgments: int = 0
) -> Options:
    """Return how an input is read, as the scanner is told it."""
    if source.layout != "memory":
        require_choice("layout", source.layout, _FILE_LAYOUTS)
    return Options(
        judgments,
        LAYOUTS[source.layout],
        _choose("ties", ties, TIES),
        _choose("duplicates", duplicates, DUPLICATES),
        _choose("malformed", malformed, MALFORMED),
    )


def _choose(argument: str, value: str, choices: Mapping[str, int]) -> int:
    require_choice(argument, value, choices)
    return choices[value]


@dataclass(frozen=True, eq=False)
class ScannedGrades:
    """Run files of which nothing is kept but a mark for each retrieved document.

    That is enough to score them, and takes about half the time and memory on the 129 runs of
    TREC-8.
    """

    systems: tuple[str, ...]
    lists: Marks
    tie_rule: str
    sources: tuple[Source, ...]
    notices: tuple[Notice, ...]


def scan_grades(
    paths: Sequence[str],
    judged: JudgedMarks,
    choose: TopicChoice,
    *,
    beyond: int,
    names: str = "auto",
    ties: str = "trec_eval",
    duplicates: str = "error",
    malformed: str = "error",
    layout: str = "auto",
    workers: int | None = None,
    max_ratio: float = MAX_RATIO,
    notices: tuple[Notice, ...] = (),
) -> ScannedGrades | None:
    """Read the marks of run files, on the topics chosen; ``beyond`` stands past a list's end.

    ``notices`` say what was odd already when the files were looked for. The other options are
    those of :func:`~poolwise.read_runs`. None where that has to read them: where a topic comes back
    after another, where a document may be repeated, where something is wrong, and where a file can
    be read but once.
    """
    require_choice("names", names, NAME_RULES)
    if any(is_table(path) or not is_stored(path) for path in paths):
        return None
    inputs = [FileBytes(path, layout, max_ratio=max_ratio) for path in paths]
    options = [reading_options(i, duplicates, malformed, ties=ties) for i in inputs]
    scanned = _scan_marks(inputs, options, workers, judged, choose, beyond=beyond)
    if scanned is None:
        return None
    lists, reports = scanned
    return ScannedGrades(
        systems=distinct_names([report.tag for report in reports], paths, names),
        lists=lists,
        tie_rule=ties,
        sources=tuple(i.source for i in inputs),
        notices=notices_of(paths, reports, duplicates) + notices,
    )
