"""Every row of the papers that came out to the digit still does, and no difference is unexplained.

The rows that are known to differ are named here; all others must be equal, within sampling error,
or patterns.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import poolwise as pw
from reproduce import (
    d10,
    d10_figures,
    u18,
    w10_collections,
    w10_measures,
    w10_power,
    w10_standardization,
)
from reproduce.results import DIFFERS, Section
from reproduce.sources import Folders, read_collection

DIFFERENT: dict[Callable[[Folders], Section], int] = {
    d10_figures.figure_1: 1,
    d10.table_1: 1,
    d10.table_2: 0,
    d10.table_3: 0,
    d10_figures.figure_2: 0,
    u18.table_1: 0,
    u18.table_3: 0,
    u18.table_4: 0,
    u18.table_5: 0,
    u18.table_6: 0,
    w10_measures.table_3_1: 0,
    w10_measures.running_example: 0,
    w10_standardization.tables_4_1_and_4_4: 0,
    w10_standardization.tables_4_2_4_5_4_8: 0,
    w10_standardization.tables_4_3_and_4_6: 1,
    w10_standardization.table_4_7: 0,
    w10_collections.tables_4_9_to_4_13: 0,
    w10_power.table_5_2: 0,
    w10_power.table_5_3: 15,
}
"""How many rows of each section differ, each with a remark that says why."""


@pytest.fixture(scope="module")
def folders(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Return the data, and a place for figures; skip unless all that is needed is there."""
    for name in ("trec8", "scores", "standardization-factors"):
        if not (data_dir / name).is_dir():
            pytest.skip(f"no {name} at {data_dir}")
    return Folders(data_dir, tmp_path_factory.mktemp("figures"))


@pytest.mark.parametrize("section", DIFFERENT, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_rows_are_equal(folders: Folders, section: Callable[[Folders], Section]) -> None:
    """All rows but those known to differ agree with the paper, and those say why."""
    found = section(folders)
    different = [row for row in found.rows if row.verdict == DIFFERS]
    assert len(different) == DIFFERENT[section], different
    assert all(row.remark for row in different)
    assert not [row for row in found.rows if row.remark.startswith("does not hold")]
    assert not found.figure or (folders.out / found.figure).stat().st_size > 0


@pytest.mark.parametrize("name", d10_figures.FIGURE_4)
def test_d10_figure_4(folders: Folders, name: str) -> None:
    """The powers that D10 reads off figure 4 come out to the digit."""
    measure, form, pool, depth, published = d10_figures.FIGURE_4[name]
    c = read_collection(folders.data / "trec8")
    (setting,) = pw.studies.depths(
        c.judgments, c.runs, [measure], pool_depths=[pool], depths=[depth], forms=[form]
    ).settings
    assert round(d10.power(setting.pvalues), 3) == published
