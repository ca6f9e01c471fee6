"""A share of the witnesses of real collections that the page of validation counts."""

from pathlib import Path

import numpy as np
import pytest

from validate.table import Folders
from validate.witnesses import check, thin_pools, witnesses


@pytest.mark.parametrize("collection", ["trec8", "trec-dl-2019"])
def test_trec_eval_gives_what_is_said(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collection: str
) -> None:
    """Every end is reached, every order reversed as said, by the numbers of trec_eval 9.0.8."""
    monkeypatch.setattr("validate.witnesses.POOLS", ((2, 5),))
    monkeypatch.setattr("validate.witnesses.MEASURES", ("nDCG@10", "AP@100", "RR@10", "SetF"))
    (thin,) = thin_pools(Folders(data_dir, tmp_path), [collection])
    rng = np.random.default_rng(1)
    counts = [check(found, thin) for found in witnesses(thin, rng, each=1)]
    assert len(counts) == 8
    assert not any(one["differ"] or one["not reached"] or one["not as said"] for one in counts)
    assert sum(one["reached"] for one in counts) == 8
    assert sum(one["other than now"] for one in counts) >= 4
