"""Tables in windows of 80, 100 and 120 characters, with names as people give them."""

from dataclasses import replace
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import poolwise as pw
from poolwise.cli._delivery import Result
from poolwise.results._layout import fitted, folded, render, shortened, widths
from poolwise.results._tables import Column, Table

DEEP_LEARNING = (
    "colbert_set-encoder-large",
    "colbert_monoelectra-large",
    "idst_bert_p1",
    "bm25tuned_prf_p",
)
TREC_8 = ("READWARE2", "orcl99man", "CL99SDopt1", "1")
SCALE = 1.0 / 7


def scores(names: tuple[str, ...]) -> pw.ScoreTable:
    """Return scores of four runs on five topics."""
    values = [[(i + 2 * t) % 7 * SCALE for t in range(5)] for i in range(len(names))]
    return pw.ScoreTable.from_matrix(values, systems=names, topics="12345", measure="AP")


def printed(table: Table, width: int) -> list[str]:
    """Return the lines of a table as a terminal of this width shows them."""
    page = StringIO()
    result = Result([table], {}, "table")
    result._print_to(Console(file=page, width=width, highlight=False))
    return page.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("names", [DEEP_LEARNING, TREC_8], ids=["deep learning", "trec-8"])
def test_a_leaderboard_fits_the_window(names: tuple[str, ...], width: int) -> None:
    """No line is longer than the window, every run has its whole name and both its ranges."""
    lines = printed(scores(names).leaderboard(), width)
    assert max(map(len, lines)) <= width
    for name in names:
        (row,) = (line for line in lines if line.startswith(f"{name} "))
        assert row.count(" to ") == 2


@pytest.mark.parametrize(
    ("names", "width", "drawn"),
    [
        (TREC_8, 80, True),
        (TREC_8, 120, True),
        (DEEP_LEARNING, 80, False),
        (DEEP_LEARNING, 120, True),
    ],
)
def test_bars_take_the_room_that_is_left(
    names: tuple[str, ...], width: int, *, drawn: bool
) -> None:
    """It is there where twelve characters are left, and fills the line to forty."""
    lines = printed(scores(names).leaderboard(), width)
    assert any("●" in line for line in lines) is drawn


@pytest.mark.parametrize(("width", "hidden"), [(80, 9), (100, 8), (120, 6)])
def test_a_comparison_hides_columns_by_their_rank_and_says_so(width: int, hidden: int) -> None:
    """The difference, its range and the state stay; what is hidden is counted."""
    made = pw.simulate(systems=6, topics=12, depth=30, rng=3)
    comparisons = pw.compare(made.judgments, made.runs, "nDCG@10", baseline=made.runs.systems[0])
    (table,) = comparisons.tables()
    lines = printed(table, width)
    assert max(map(len, lines)) <= width
    heading = " ".join(lines[:6])
    for word in ("difference", "range", "state"):
        assert word in heading
    said = [line for line in lines if "hidden" in line]
    assert said == [f"{hidden} columns are hidden: widen the window, or use --format tsv."]


def test_output_that_is_no_terminal_is_never_cut() -> None:
    """A file has every column."""
    made = pw.simulate(systems=6, topics=12, depth=30, rng=3)
    (table,) = pw.compare(made.judgments, made.runs, "nDCG@10").tables()
    text = Result([table], {}, "table").text({})
    assert "hidden" not in text
    for column in table.columns:
        assert column.title.split()[0] in text


NAMES = st.lists(st.text("ab-_9", min_size=1, max_size=40), min_size=1, max_size=8, unique=True)


@given(names=NAMES, most=st.integers(4, 40))
def test_shortened_names_still_differ(names: list[str], most: int) -> None:
    """Different names stay different, and names are short or whole."""
    cut = shortened(names, most)
    assert len(set(cut)) == len(names)
    assert all(len(new) <= most or new == old for new, old in zip(cut, names, strict=True))


@given(names=NAMES, width=st.integers(10, 120), ranks=st.lists(st.integers(0, 3), max_size=6))
def test_a_table_fits_wherever_its_names_do(names: list[str], width: int, ranks: list[int]) -> None:
    """A table is within the window, or down to its first column; no rank outlives a lower one."""
    columns = (Column("run"), *(Column(f"c{i}", 4, rank=rank) for i, rank in enumerate(ranks)))
    rows = tuple((name, *(0.5 for _ in ranks)) for name in names)
    shown = fitted(Table(columns, rows), width)
    used = sum(widths(shown)) + 2 * (len(shown.columns) - 1)
    assert used <= width or len(shown.columns) == 1
    kept = {column.title for column in shown.columns}
    gone = [c.rank for c in columns if c.title not in kept]
    assert not gone or max(c.rank for c in shown.columns) <= max(gone)


def test_a_sentence_is_cut_at_its_end_before_a_column_is_hidden() -> None:
    """Where some 40 characters of it are left; in less room its column goes."""
    reason = "It would move 3 of 5 open pairs, and bm25 has it at rank 11."
    table = Table((Column("document"), Column("reason")), (("D1", reason), ("D2", reason)))
    cut = fitted(table, 60)
    assert cut.rows[0] == ("D1", f"{reason[:49].rstrip()}…")
    assert not cut.notes
    assert [column.title for column in fitted(table, 40).columns] == ["document"]


def test_what_a_sentence_says_again_is_hidden_before_it_is_cut() -> None:
    """Columns of a higher rank go first; the sentence is whole where that is enough."""
    reason = "bm25 has it at rank 11, and 20 runs hold it."
    columns = Column("document"), Column("runs", 0, rank=1), Column("reason")
    table = Table(columns, (("D1", 20, reason),))
    shown = fitted(table, 54)
    assert shown.rows == (("D1", reason),)
    assert fitted(table, 52).rows == (("D1", f"{reason[:41].rstrip()}…"),)


@given(width=st.integers(14, 60), names=st.lists(st.text("ab@1", min_size=1), max_size=9))
def test_a_table_that_folds_hides_nothing(width: int, names: list[str]) -> None:
    """Its parts have all columns in their order, each once, and keep to the width if they can."""
    columns = (Column("run"), *(Column(name, digits=4) for name in names))
    table = Table(columns, (("bm25", *(0.5 for _ in names)),), notes=("said",), folds=True)
    parts = folded(table, width)
    assert [c.title for part in parts for c in part.columns[1:]] == names
    assert [note for part in parts for note in part.notes] == ["said"]
    for part in parts:
        longest = max(map(len, render(replace(part, notes=())).splitlines()))
        assert longest <= width or len(part.columns) == 2
