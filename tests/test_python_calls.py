"""The shortest call works: one measure by its name, no seed, any library of frames."""

import importlib.util
import inspect
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

import poolwise as pw
from poolwise.results._columns import to_frame

ROOMS = ("collection", "evidence", "scores", "findings", "judging", "studies", "store", "workflows")
MADE = pw.simulate(systems=4, topics=6, depth=20)


def functions() -> Iterator[tuple[str, Any]]:
    """Yield every public function and every public method of a public class, by name."""
    for package in (pw, *(getattr(pw, room) for room in ROOMS)):
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isclass(value):
                yield from (
                    (f"{name}.{method}", function)
                    for method, function in vars(value).items()
                    if inspect.isfunction(function) and not method.startswith("_")
                )
            elif inspect.isfunction(value):
                yield name, value


def test_no_public_function_asks_for_a_seed() -> None:
    """Whatever draws at random has the one default seed."""
    asking = [
        name
        for name, function in functions()
        if (seed := inspect.signature(function).parameters.get("rng")) is not None
        # A treatment is told the seed, by place, by whoever estimates with it.
        and seed.kind is seed.KEYWORD_ONLY
        and seed.default is seed.empty
    ]
    assert asking == []


def test_one_line_compares() -> None:
    """Judgments, runs and a measure are enough."""
    comparison = pw.compare(MADE.judgments, MADE.runs, "nDCG@10")
    assert len(comparison["nDCG@10"]) == 6
    assert str(comparison) == str(pw.compare(MADE.judgments, MADE.runs, "nDCG@10"))


def test_a_text_is_one_measure() -> None:
    """A name is not taken letter by letter."""
    assert list(pw.evaluate(MADE.judgments, MADE.runs, "nDCG@10")) == ["nDCG@10"]


def test_one_measure_may_stand_in_a_list() -> None:
    """Several measures are compared by in one call, and each gives what it gives alone."""
    by_one = pw.compare(MADE.judgments, MADE.runs, ["nDCG@10"])
    assert str(by_one) == str(pw.compare(MADE.judgments, MADE.runs, "nDCG@10"))
    two = pw.compare(MADE.judgments, MADE.runs, ["nDCG@10", "AP"])
    assert str(two["nDCG@10"]) == str(by_one["nDCG@10"])
    assert [str(part.measure) for part in two] == ["nDCG@10", "AP"]


def test_one_line_makes_a_table_of_results() -> None:
    """Judgments and runs, an evaluation, and its tables give the same table."""
    table = pw.table(MADE.judgments, MADE.runs, ["nDCG@10", "AP"], baseline="bm25-1")
    scored = pw.evaluate(MADE.judgments, MADE.runs, ["nDCG@10", "AP"])
    assert str(table) == str(pw.table(scored, baseline="bm25-1"))
    assert str(table) == str(pw.table(scored.scores, baseline="bm25-1"))
    assert str(pw.table(scored["AP"])) == str(pw.table([scored["AP"]]))


def test_a_measure_that_was_not_scored_is_named() -> None:
    """Asking for it says what there is, and ``in`` and ``get`` work as they do for a dict."""
    evaluation = pw.evaluate(MADE.judgments, MADE.runs, ["nDCG@10", "P@5"])
    with pytest.raises(KeyError) as raised:
        evaluation["AP"]
    assert isinstance(raised.value, pw.PoolwiseError)
    assert str(raised.value).startswith("'AP': the result has no scores by this measure. Hint: use")
    assert "AP" not in evaluation
    assert evaluation.get("AP") is None


@pytest.mark.parametrize("only", ["pandas", "polars", "pyarrow"])
def test_a_frame_is_of_what_is_installed(monkeypatch: pytest.MonkeyPatch, only: str) -> None:
    """Any one library of frames is enough, and none is named."""
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        missing = name in {"pandas", "polars", "pyarrow"} - {only}
        return None if missing else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    results = pw.evaluate(MADE.judgments, MADE.runs, "P@5")
    tables = [results, *results.scores, *results.tables(), MADE.judgments, MADE.runs]
    assert {type(table.to_frame()).__module__.split(".")[0] for table in tables} == {only}


def test_no_library_of_frames_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any of them, the error says what to install."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(pw.MissingExtraError, match="pandas, polars or pyarrow is needed"):
        to_frame({"run": ["a"]})
