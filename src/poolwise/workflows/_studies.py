"""One way to run any study of the table: from files, objects or tables to its findings."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, cast

from poolwise.collection._identifiers import listed_topics
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import nominate
from poolwise.collection._reading import Reading
from poolwise.collection._runs import Runs
from poolwise.collection.files._sources import fields_of, lines_of, read_text
from poolwise.errors import InputError, OptionError
from poolwise.evidence._meeting import align
from poolwise.measures._measure import Measure
from poolwise.results._finding import Finding
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import ByMeasure
from poolwise.studies._predictivity import select_top
from poolwise.studies._table import Study, Takes
from poolwise.workflows._inputs import Topics, as_collection, as_groups, as_topics

__all__ = [
    "StudyInput",
    "StudyParameter",
    "help_of",
    "load",
    "name_of",
    "parameters_of",
    "run_study",
    "takes_measures",
]

Progress = Callable[[int, int], None]

_OF_THE_INPUT = ("measures", "measure", "topics", "progress")
"""Parameters behind the data that are no options of their own."""


@dataclass(frozen=True)
class StudyInput:
    """What somebody brings to a study.

    Attributes
    ----------
    judgments, runs
        Objects, or whatever :func:`~poolwise.read_judgments` and :func:`~poolwise.read_runs` read.
    measures : sequence of Measure or str
        What to score by.
    tables : sequence of ScoreTable
        Scores, one table per measure, for studies that take them.
    topics : str, Path or iterable of str
        Which topics count, as for :func:`~poolwise.evaluate`.
    grades : sequence of float
        The grades that a document can have.
    reading : Reading
        How files are read.
    deep : int, optional
        Take the runs alone whose documents down to this rank are all judged (U18 table 1).
    """

    judgments: Any = None
    runs: Any = ()
    measures: Sequence[Measure | str] = ()
    tables: Sequence[ScoreTable] = ()
    topics: Topics = "judged"
    grades: Sequence[float] = ()
    reading: Reading = field(default_factory=Reading)
    deep: int | None = None

    def collection(self) -> tuple[Judgments, Runs]:
        """Return judgments and runs, of which some may be chosen by how deep they are judged."""
        both = as_collection(self.judgments, self.runs, grades=self.grades, reading=self.reading)
        return both if self.deep is None else (both[0], deeply_judged(*both, self.deep))

    def scored(self) -> Sequence[ScoreTable]:
        """Return the tables, of the runs that are chosen."""
        if self.deep is None:
            return self.tables
        systems = self.collection()[1].systems
        return [table.select(runs=systems) for table in self.tables]


def deeply_judged(judgments: Judgments, runs: Runs, depth: int) -> Runs:
    """Return the runs with a judged document at every rank down to a depth, on all topics.

    U18 §3.1 takes such runs alone, so that what is not judged is no matter to them.

    Examples
    --------
    >>> qrels, runs = as_collection(
    ...     {"1": {"a": 1, "b": 0}},
    ...     {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}},
    ...      "z": {"1": {"a": 2.0, "c": 1.0}}})
    >>> deeply_judged(qrels, runs, 2).systems
    ('x', 'y')
    """
    systems = nominate(judgments, runs).deeply_judged(depth)
    if len(systems) < 2:
        raise OptionError(
            f"deep: a study needs two runs that are judged down to rank {depth}; got "
            f"{len(systems)} of {len(runs.systems):,}. Hint: use a smaller depth."
        )
    return runs.select(systems)


@dataclass(frozen=True)
class StudyParameter:
    """An option of a study: its name, what it takes, its default, what it does, if it must be."""

    name: str
    annotation: Any
    default: Any
    text: str
    required: bool


def load(place: str) -> Callable[..., Any]:
    """Return a function by its public name.

    Examples
    --------
    >>> load("studies.swap_rates").__name__
    'swap_rates'
    """
    door, _, name = place.partition(".")
    return cast("Callable[..., Any]", getattr(import_module(f"poolwise.{door}"), name))


def run_study(
    study: Study,
    inputs: StudyInput,
    options: Mapping[str, Any],
    *,
    progress: Progress | None = None,
) -> tuple[Finding, ...]:
    """Run a study of the table.

    Options that are None or empty are left to the function.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=8, topics=20, depth=50, rng=3)
    >>> tables = pw.workflows.score_runs(made.judgments, made.runs, ["AP"])
    >>> swaps = next(study for study in pw.studies.STUDIES if study.name == "swaps")
    >>> rates, = run_study(swaps, StudyInput(tables=tables), {"seed": 1, "draws": 50})
    >>> rates["AP"].draws
    50
    """
    place, takes = study.chosen(options)
    function, rows = load(place), _data(takes, inputs, top=options.get("top", 1.0))
    names = signature(function).parameters
    read = partial(_read, study, inputs, rows)
    how = _arguments(study, function, options, read)
    for name, maker in study.makes.items():
        how[name] = load(maker)(**_arguments(study, load(maker), options, read))
    if "measures" in names and inputs.measures:
        how["measures"] = list(inputs.measures)
    how |= {"topics": as_topics(inputs.topics)} if "topics" in names else {}
    how |= {"progress": progress} if "progress" in names else {}
    # A function about one measure is called for each, unless the measure is an option.
    by_measure = "measure" in names and "measure" not in how
    each = [{"measure": measure} for measure in inputs.measures] if by_measure else [{}]
    parts = [function(*row, **how, **choice) for row in rows for choice in each]
    if study.joined and (by_measure or takes == "table"):
        return (ByMeasure.of(parts),)
    return tuple(_flat(parts))


def _data(takes: Takes, inputs: StudyInput, *, top: float) -> list[tuple[Any, ...]]:
    """Return what the function takes first, once for each time that it is called."""
    if "table" in takes:
        scored = inputs.scored()
        tables = select_top(scored, top) if top < 1 else list(scored)
        by_table = [(table,) for table in tables]
        return [(tables,)] if takes == "tables" else by_table[: 1 if "first" in takes else None]
    if takes in ("runs", ""):
        return [(inputs.reading.runs(inputs.runs),)] if takes else [()]
    collection = inputs.collection()
    if takes == "evidence":
        return [(align(*collection, topics=as_topics(inputs.topics)),)]
    return [collection if takes == "collection" else (nominate(*collection),)]


def _flat(parts: Iterable[Any]) -> Iterator[Finding]:
    """Go through findings, and through those of functions that return several."""
    for part in parts:
        yield from part if isinstance(part, tuple) else (part,)


def _arguments(
    study: Study,
    function: Callable[..., Any],
    options: Mapping[str, Any],
    read: Callable[[str, Any], Any],
) -> dict[str, Any]:
    """Return the options that a function has, by its own names; files of them are read."""
    # Options are those of all functions of a study, and each takes its own.
    typed = {name: options.get(name_of(study, name)) for name in signature(function).parameters}
    return {name: read(name, value) for name, value in typed.items() if value not in (None, ())}


def _read(
    study: Study, inputs: StudyInput, rows: Sequence[tuple[Any, ...]], name: str, value: Any
) -> Any:
    """Return what an option names: what its file holds, or the value as it is."""
    option = study.options.get(name)
    match "groups" if name == "groups" else option and option.reads:
        case "judgments":
            return inputs.reading.judgments(value)
        case "groups":
            # Only studies of judgments and runs have groups.
            _, runs = rows[0]
            return as_groups(value, runs.systems)
        case "topics":
            return listed_topics(value)
        case "variants":
            return read_labels(value, "query, topic and set", example="401b 401 long")
        case "dates":
            return read_labels(value, "run, system and date", example="g17 google 2008-12-05")
    return value


def name_of(study: Study, parameter: str) -> str:
    """Return the name by which a command knows a parameter of its function."""
    return study.renamed.get(parameter, "seed" if parameter == "rng" else parameter)


def parameters_of(study: Study) -> dict[str, StudyParameter]:
    """Return the options of all functions of a study, by the names that its command has.

    Examples
    --------
    >>> from poolwise.studies._table import STUDIES
    >>> swaps = next(study for study in STUDIES if study.name == "swaps")
    >>> parameters_of(swaps)["draws"].default
    1000
    """
    parameters: dict[str, StudyParameter] = {}
    for place, data in study.functions():
        function = load(place)
        texts = _texts(function)
        for parameter in list(signature(function).parameters.values())[data:]:
            name = parameter.name
            if not _is_option(study, parameter):
                continue
            # What another function asks for is asked for only where that function is used.
            is_asked = place == study.function and parameter.default is Parameter.empty
            default = None if parameter.default is Parameter.empty else parameter.default
            study_parameter = StudyParameter(
                name, parameter.annotation, default, texts.get(name, ""), required=is_asked
            )
            parameters.setdefault(name_of(study, name), study_parameter)
    return parameters


def takes_measures(study: Study) -> bool:
    """Tell whether a study scores by any number of measures."""
    names = {name for place, _ in study.functions() for name in signature(load(place)).parameters}
    return bool({"measure", "measures"} & names - study.options.keys())


def _is_option(study: Study, parameter: Parameter) -> bool:
    """Tell whether a command has an option for a parameter behind the data."""
    if parameter.name in {*study.api_only, *study.makes}:
        return False
    return parameter.name not in _OF_THE_INPUT or parameter.name in study.options


def help_of(study: Study) -> str:
    """Return what a study does, in a paragraph or two: the beginning of its docstring."""
    return study.help or _plain("\n\n".join(_doc(load(study.function))[0].split("\n\n")[:2]))


_SECTION = re.compile(r"^([A-Z]\w+)\n-+$", re.MULTILINE)


def _doc(function: Callable[..., Any]) -> tuple[str, str]:
    """Return what comes before the parameters of a docstring, and the parameters."""
    before, *parts = _SECTION.split(getdoc(function) or "")
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return before.strip(), sections.get("Parameters", "").strip()


def _texts(function: Callable[..., Any]) -> dict[str, str]:
    """Return what a docstring says about each parameter, in one line."""
    texts: dict[str, str] = {}
    for block in re.split(r"\n(?=\S)", _doc(function)[1]):
        head, _, text = block.partition("\n")
        for name in head.partition(" : ")[0].split(", "):
            texts[name] = _plain(" ".join(text.split()))
    return texts


def _plain(text: str) -> str:
    """Return a text of a docstring without the signs that Sphinx reads."""
    return re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`|``(.*?)``", r"\1\2", text)


def read_labels(path: str | Path, what: str, *, example: str) -> dict[str, tuple[str, str]]:
    r"""Return the second and third word of each line of a file by the first.

    ``what`` names the three words, and ``example`` is a line that has them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "dates.txt"
    ...     _ = path.write_text("g17 google 2008-12-05\n\ny3 yahoo 2008-12-06\n")
    ...     read_labels(path, "run, system and date", example="g17 google 2008-12-05")
    {'g17': ('google', '2008-12-05'), 'y3': ('yahoo', '2008-12-06')}
    """
    lines = [(n, fields_of(line)) for n, line in enumerate(lines_of(read_text(path)), 1) if line]
    labels: dict[str, tuple[str, str]] = {}
    for number, cells in lines:
        if len(cells) != 3 or cells[0] in labels or "\0" in "".join(cells):
            raise InputError(
                f"{Path(path)}:{number}",
                f"a line must hold {what}, each of which has one line",
                value=" ".join(cells),
                remedy=f"write it such as {example!r}",
            )
        labels[cells[0]] = (cells[1], cells[2])
    if not labels:
        remedy = f"write lines such as {example!r}"
        raise InputError(str(path), "there must be at least one entry", remedy=remedy)
    return labels
