"""Rows of the native library are those of csv, to the last byte."""

import csv
import io
import math
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.each import over

from poolwise import native_loading
from poolwise.results import _columns
from poolwise.results._columns import native_rows, pack, to_csv

pytestmark = pytest.mark.skipif(
    _columns.library() is None, reason="no native library could be built here, or is not to be used"
)

FLOATS = st.floats(allow_subnormal=True)
COLUMNS = st.integers(1, 6).flatmap(
    lambda rows: st.lists(
        st.one_of(
            st.lists(FLOATS, min_size=rows, max_size=rows),
            st.lists(st.none() | FLOATS, min_size=rows, max_size=rows),
            st.lists(st.integers(-(2**63), 2**63 - 1), min_size=rows, max_size=rows),
            st.lists(st.text(max_size=4), min_size=rows, max_size=rows),
            st.lists(
                st.sampled_from(["", "a", "401", "naïve", "\udce9"]), min_size=rows, max_size=rows
            ),
        ),
        min_size=2,
        max_size=5,
    )
)


def by_csv(columns: list[list[object]], separator: str) -> str:
    """Write rows with Python's own writer, NaN as an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    plain = [["" if isinstance(c, float) and math.isnan(c) else c for c in cs] for cs in columns]
    writer.writerows(zip(*plain, strict=True))
    return text.getvalue()


@given(COLUMNS, st.sampled_from("\t,"))
def test_rows_are_those_of_csv(columns: list[list[object]], separator: str) -> None:
    """Whatever the library writes, csv writes, too; and what needs quotes is left to csv."""
    rows = native_rows(columns, separator)
    wanted = by_csv(columns, separator)
    assert rows in (wanted, None)
    assert rows is not None or any(c in wanted for c in '"\r')


@given(st.lists(FLOATS, min_size=1, max_size=50))
def test_numbers_look_as_python_prints_them(values: list[float]) -> None:
    """The fewest digits that read back as the same number, laid out as repr does."""
    rows = native_rows([values, values], "\t")
    shown = ["" if math.isnan(value) else repr(value) for value in values]
    assert rows == "".join(f"{text}\t{text}\n" for text in shown)


@pytest.mark.parametrize("sign", [1, -1])
def test_every_power_looks_as_python_prints_it(sign: int) -> None:
    """Powers of two and ten are where the digits of shortest numbers are hardest to find."""
    powers = [sign * 2.0**n for n in range(-1074, 1024)] + [
        sign * 10.0**n for n in range(-323, 309)
    ]
    values = [
        near for p in powers for near in (p, math.nextafter(p, 0.0), math.nextafter(p, 9e307))
    ]
    edges = [0.0, -0.0, math.inf, -math.inf, sys.float_info.max, 5e-324, 1e16, 9999999999999998.0]
    rows = native_rows([values + edges, values + edges], "\t")
    assert rows is not None
    assert [line.split("\t")[0] for line in rows.splitlines()] == [repr(v) for v in values + edges]


@over(
    "cells",
    [
        [1, 2.0],
        [None, 1],
        [True, False],
        [2**63, 1],
        ["a", 1],
        [b"a", b"b"],
        ["a\tb", ""],
        ["\n", ""],
    ],
)
def test_other_cells_are_left_to_csv(cells: list[object]) -> None:
    """Mixed columns, what is neither text nor number, and texts that need quotes."""
    assert native_rows([cells, [1, 2]], "\t") is None
    assert to_csv({"a": cells, "b": [1, 2]}, separator="\t", header=False) == by_csv(
        [cells, [1, 2]], "\t"
    )


def test_columns_of_several_lengths_are_refused() -> None:
    """A cell that is not there is not read."""
    with pytest.raises(ValueError, match="shorter"):
        to_csv({"a": ["x", "y"], "b": [1]})


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let nothing be written by the library."""
    monkeypatch.setenv(native_loading.SWITCH, "0")
    _columns.library.cache_clear()
    yield
    _columns.library.cache_clear()


@pytest.mark.usefixtures("without_library")
def test_without_the_library_the_text_is_the_same() -> None:
    """One text has two makers, and this is the other."""
    assert native_rows([["a"], [1]], "\t") is None
    assert to_csv({"run": ["a"], "p": [0.1]}, separator="\t") == "run\tp\na\t0.1\n"


@given(floats=st.lists(st.floats(), min_size=1), data=st.data())
def test_packed_numbers_are_written_as_lists_are(floats: list[float], data: st.DataObject) -> None:
    """Numbers as they lie in memory give the same text, with the library and without."""
    whole = st.integers(-(2**63), 2**63 - 1)
    integers = data.draw(st.lists(whole, min_size=len(floats), max_size=len(floats)))
    packed = {"a": pack(np.array(floats)), "b": pack(np.array(integers, np.int64))}
    expected = to_csv({"a": floats, "b": integers}, separator="\t")
    assert to_csv(packed, separator="\t") == expected
    assert to_csv(packed, separator="\t", safe=True) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_columns, "native_rows", lambda *_: None)
        assert to_csv(packed, separator="\t") == expected
