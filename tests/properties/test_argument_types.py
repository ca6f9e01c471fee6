"""Whatever stands in the place of an argument, what comes of it is a result or our error."""

import doctest
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from tests.each import over
from tests.laws import SOAK
from tests.properties.test_options import is_recorded, public_functions

import poolwise as pw
from poolwise.errors import OptionError, PoolwiseError
from poolwise.provenance import _recorded
from poolwise.provenance._recorded import MISFIT, fit

Call = tuple[Callable[..., Any], inspect.BoundArguments]
MADE = pw.simulate(systems=4, topics=6, depth=30)
TABLE = pw.score(pw.align(MADE.judgments, MADE.runs), "P@5")


class Alien:
    """What no function can do anything with."""


WRONG = (Alien(), 5, "x", 1.5, None, True, b"x", ["x", 3], {"x": 1}, ())
FUNCTIONS = {
    name: function
    for name, function in public_functions()
    if is_recorded(function) and name != "poolwise.provenance.recorded"
}
ROOMS = sorted({name.rpartition(".")[0] for name in FUNCTIONS})
STARTING = {"workers"}
"""What starts processes, or goes through everything, if it is told so."""


def test_every_public_function_checks_its_arguments() -> None:
    """The only one left is what checks the others."""
    unchecked = {
        name.rpartition(".")[2]
        for name, function in public_functions()
        if name not in FUNCTIONS and inspect.signature(function).parameters
    }
    assert unchecked == {"recorded"}


def wrong_for(parameter: inspect.Parameter) -> Iterator[object]:
    """Yield values of another type, and texts that may be no choice of theirs."""
    takes_anything = fit(Alien(), parameter.annotation) is not MISFIT
    for value in WRONG:
        is_misfit = fit(value, parameter.annotation) is MISFIT
        # How many numbers an array must have is no matter of types.
        is_empty = value == () and not _recorded._is_array(parameter.annotation)
        if (
            is_misfit
            or is_empty
            or value == "x"
            or (takes_anything and parameter.name not in STARTING)
        ):
            yield value


def calls_in_examples(room: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Call]:
    """Return a call of each function of a room that works: the first of its own example."""
    calls: dict[str, Call] = {}
    check = _recorded._fitted

    def keep(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        for name in wanted.get(function, ()):
            calls.setdefault(
                name, (FUNCTIONS[name], inspect.signature(function).bind(*args, **kwargs))
            )
        return check(function, args, kwargs)

    names = [name for name in FUNCTIONS if name.rpartition(".")[0] == room]
    wanted: dict[Any, list[str]] = {}
    for name in names:
        wanted.setdefault(inspect.unwrap(FUNCTIONS[name]), []).append(name)
    monkeypatch.setattr(_recorded, "_fitted", keep)
    for name in names:
        run_example(name)
    monkeypatch.setattr(_recorded, "_fitted", check)
    assert sorted(calls) == sorted(names), "a function without an example that calls it"
    return calls


def run_example(name: str) -> None:
    """Run the example of a docstring; whether it prints what it says is tested elsewhere."""
    function = FUNCTIONS[name]
    finder = doctest.DocTestFinder(recurse=False)
    for example in finder.find(function, name, globs=dict(inspect.unwrap(function).__globals__)):
        doctest.DocTestRunner(verbose=False).run(example, out=lambda _: None)


def misuses(call: Call) -> Iterator[tuple[str, object, inspect.BoundArguments]]:
    """Yield a call with one argument after the other replaced by what it must not be."""
    function, arguments = call
    for parameter in _recorded._wanted(inspect.unwrap(function)).values():
        for value in wrong_for(parameter):
            changed = arguments.signature.bind(*arguments.args, **arguments.kwargs)
            is_several = parameter.kind is parameter.VAR_POSITIONAL
            changed.arguments[parameter.name] = (value,) if is_several else value
            yield parameter.name, value, changed


def is_run(argument: str, value: object, call: Call) -> bool:
    """Tell whether a value may be what is wanted, so that the function goes on with it."""
    wanted = _recorded._wanted(inspect.unwrap(call[0]))[argument]
    return fit(value, wanted.annotation) is not MISFIT


def tried(calls: dict[str, Call]) -> Iterator[tuple[str, str, object, inspect.BoundArguments]]:
    """Yield all misuses that are refused at once; of those that run, which takes long, some."""
    running = 0
    for name, call in calls.items():
        for argument, value, changed in misuses(call):
            goes_on = is_run(argument, value, call)
            running += goes_on
            if not goes_on or SOAK or running % 4 == 0:
                yield name, argument, value, changed


def outcome(function: Callable[..., Any], arguments: inspect.BoundArguments) -> Exception | None:
    """Return what a call raises, if it does."""
    try:
        with redirect_stdout(StringIO()):
            result = function(*arguments.args, **arguments.kwargs)
            if inspect.isgenerator(result):
                list(result)
    except Exception as error:  # noqa: BLE001 -- which one it is, is the question
        return error
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("room", ROOMS)
def test_misuse_is_our_error(room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a call that works, any argument may be anything: nothing but our errors comes of it."""
    monkeypatch.chdir(tmp_path)
    calls = calls_in_examples(room, monkeypatch)
    bare = [
        f"{name}({argument}={value!r}): {error!r}"
        for name, argument, value, changed in tried(calls)
        if (error := outcome(calls[name][0], changed)) and not isinstance(error, PoolwiseError)
    ]
    assert bare == []


@over("name", ROOMS)
def test_the_error_names_argument_rule_value_and_a_way_out(name: str) -> None:
    """It comes before anything is done, and whatever else is missing."""
    for function in (
        FUNCTIONS[full_name] for full_name in FUNCTIONS if full_name.rpartition(".")[0] == name
    ):
        for parameter in _recorded._wanted(inspect.unwrap(function)).values():
            if parameter.kind is parameter.KEYWORD_ONLY and fit(WRONG[0], parameter.annotation) is (
                MISFIT
            ):
                with pytest.raises(OptionError) as error:
                    function(**{parameter.name: WRONG[0]})
                where, _, rest = str(error.value).partition(": must be ")
                assert where == parameter.name
                assert "; got Alien. Hint: use " in rest
                assert rest.endswith(".")


@over(
    "value, wanted, fitted",
    [
        (3, float, 3),
        ("P@5", Iterable[pw.measures.Measure | str], ("P@5",)),
        (pw.P @ 5, Iterable[pw.measures.Measure | str], (pw.P @ 5,)),
        (TABLE, Iterable[pw.ScoreTable], (TABLE,)),
        (5, list[int], (5,)),
        ("bm25", str | Iterable[str], "bm25"),
        (iter("ab"), Iterable[str], ("a", "b")),
        ({"a": 1}, Mapping[str, float], {"a": 1}),
        (MappingProxyType({"a": 1}), Mapping[str, str], MISFIT),
        (("a", 1), tuple[str, int], ("a", 1)),
        (("a", 1, 2), tuple[str, int], MISFIT),
        (True, int, MISFIT),
        (1, bool, MISFIT),
        (2.0, int, MISFIT),
        ([1, "2"], Iterable[int], MISFIT),
        ({"a": 1}, list[str], MISFIT),
        (b"ab", Iterable[int], MISFIT),
    ],
)
def test_what_fits(value: object, wanted: Any, fitted: object) -> None:
    """One alone is one of several; what can be had in one pass only becomes a tuple."""
    result = fit(value, wanted)
    assert result is fitted if fitted is MISFIT else result == fitted


def test_a_measure_alone_is_one_measure_in_studies() -> None:
    """It is not read letter by letter."""
    alone = pw.studies.movement(MADE.truth, MADE.runs, "P@5", pool_depths=5, reference=20)
    listed = pw.studies.movement(MADE.truth, MADE.runs, ["P@5"], pool_depths=5, reference=20)
    assert str(alone) == str(listed)
    assert alone.provenance.options == listed.provenance.options


def test_an_array_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a list would do as well, an array of a million numbers is not looked through."""
    pvalues = np.linspace(0, 1, 20)
    with monkeypatch.context() as patch:
        patch.setattr(_recorded, "_fit_several", lambda *_: pytest.fail("it was looked through"))
        corrected = pw.findings.adjust_pvalues(pvalues)
    assert corrected.tolist() == pw.findings.adjust_pvalues(pvalues.tolist()).tolist()


def test_paths_where_something_read_is_needed_lead_to_the_reader(tmp_path: Path) -> None:
    """The hint works: what it names gives what is wanted."""
    path = tmp_path / "qrels.txt"
    pw.write_judgments(MADE.truth, path)
    hint = r"judgments: must be Judgments; got .*qrels.txt.* Hint: use read_judgments\(…\)"
    with pytest.raises(OptionError, match=hint):
        pw.studies.movement(path, MADE.runs, "P@5")  # type: ignore[arg-type]
    read = pw.read_judgments(path)
    assert pw.studies.movement(read, MADE.runs, "P@5", pool_depths=5, reference=20)


@over(
    "call, said",
    [
        (lambda: pw.evaluate(MADE.judgments, MADE.runs, topics=5), "topics: must be a text"),  # type: ignore[arg-type]
        (lambda: pw.pool(MADE.judgments, MADE.runs, depth="1"), "depth: must be a whole number"),  # type: ignore[arg-type]
        (lambda: pw.correlate(["a"], ["b"]), "first: must be an array of numbers"),
        (lambda: pw.studies.depths(MADE.judgments, {}, "AP"), r"runs: must be Runs; got {}"),  # type: ignore[arg-type]
        (lambda: pw.findings.measure_orders(()), "tables: at least one is needed"),
        (lambda: pw.pool(MADE.judgments, MADE.runs, depth=1, rng="x"), "rng: must be a whole"),  # type: ignore[arg-type]
    ],
)
def test_what_is_said(call: Callable[[], object], said: str) -> None:
    """Argument and rule, in plain words."""
    with pytest.raises(OptionError, match=said):
        call()
