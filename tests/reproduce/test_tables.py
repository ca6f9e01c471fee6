"""Every cell of the papers that came out to the digit still does, and no difference is unexplained.

Sections without random draws are held to all their equal cells; those that draw are tested with few
draws, elsewhere.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import poolwise as pw
from reproduce import (
    b23_case_study,
    d10,
    d10_figures,
    g16,
    u18,
    w10_collections,
    w10_measures,
    w10_pooling_bias,
    w10_power,
    w10_standardization,
)
from reproduce.results import Section
from reproduce.sources import Folders, read_collection

EQUAL_CELLS: dict[Callable[[Folders], Section], int] = {
    d10_figures.figure_1: 3,
    d10.table_1: 9,
    d10.table_2: 49,
    d10.table_3: 36,
    d10_figures.figure_2: 3,
    u18.table_1: 16,
    u18.table_3: 6,
    u18.table_4: 16,
    u18.table_5: 18,
    w10_measures.table_3_1: 11,
    w10_pooling_bias.section_3_4_2: 1,
    w10_standardization.tables_4_1_and_4_4: 53,
    w10_standardization.tables_4_2_4_5_4_8: 36,
    w10_standardization.tables_4_3_and_4_6: 25,
    w10_standardization.table_4_7: 14,
    w10_collections.tables_4_9_to_4_13: 74,
    w10_power.table_5_2: 37,
    w10_power.table_5_3: 4,
    g16.tails: 1,
    b23_case_study.table_1: 9,
    b23_case_study.table_3_trec_covid: 10,
    b23_case_study.table_7: 52,
}
"""How many cells of each section are equal to the printed digits."""


@pytest.fixture(scope="module")
def folders(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Return the data, and a place for figures; skip unless all that is needed is there."""
    for name in ("trec8", "scores", "standardization-factors", "b23-case-study"):
        if not (data_dir / name).is_dir():
            pytest.skip(f"no {name} at {data_dir}")
    return Folders(data_dir, tmp_path_factory.mktemp("figures"))


@pytest.mark.parametrize("section", EQUAL_CELLS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_cells_are_equal(folders: Folders, section: Callable[[Folders], Section]) -> None:
    """As many cells as ever agree with the paper, and a row that differs says why."""
    result = section(folders)
    assert sum(row.cells.equal for row in result.rows) >= EQUAL_CELLS[section]
    assert all(row.remark for row in result.rows if row.cells.differ)
    assert not [row for row in result.rows if row.remark.startswith("does not hold")]
    assert not result.figure or (folders.out / result.figure).stat().st_size > 0


@pytest.mark.parametrize("name", d10_figures.FIGURE_4)
def test_d10_figure_4(folders: Folders, name: str) -> None:
    """The powers that D10 reads off figure 4 come out to the digit."""
    measure, form, pool, depth, published = d10_figures.FIGURE_4[name]
    c = read_collection(folders.data / "trec8")
    (setting,) = pw.studies.depths(
        c.judgments, c.runs, [measure], pool_depths=[pool], depths=[depth], forms=[form]
    ).settings
    assert round(d10.power(setting.pvalues), 3) == published
