"""W10's tables of pooling bias, from TREC-8, with fewer pools than the thesis."""

from pathlib import Path

import numpy as np
import pytest

from reproduce import w10_pooling_bias as tables
from reproduce.sources import Folders

WIDTH = 10


@pytest.fixture(scope="module")
def errors(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """Return mean absolute errors over 15 pools of ten automatic runs."""
    if not (data_dir / "trec8").is_dir():
        pytest.skip(f"no TREC-8 at {data_dir}")
    folders = Folders(data_dir, tmp_path_factory.mktemp("figures"))
    study = tables.of_manual_runs(folders, pools=15, widths=(WIDTH,), seed=5)
    errors = tables.errors_by_width(study, 0)
    return {name: values.mean(axis=(0, 1)) for name, values in errors.items()}


def test_bias_inferred_from_systems(errors: dict[str, np.ndarray]) -> None:
    """W10 table 6.1, width 10: raw 0.283, adjusted 0.237, within two standard errors of 100."""
    assert errors["systems"] == pytest.approx(tables.TABLE_6_1[WIDTH], abs=0.02)


@pytest.mark.parametrize("scoring", ["nonrelevant", "condensed"])
def test_bias_inferred_from_topics(errors: dict[str, np.ndarray], scoring: str) -> None:
    """W10 tables 6.4 and 6.5, width 10: unadjusted and adjusted errors."""
    unadjusted, adjusted = tables.TABLES_6_4_AND_6_5[scoring][WIDTH]
    assert errors[scoring][:4] == pytest.approx(unadjusted, abs=0.02)
    assert errors[scoring][4:] == pytest.approx(adjusted, abs=0.01)
