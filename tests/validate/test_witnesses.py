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
    counts = [check(witness, thin) for witness in witnesses(thin, rng, each=1)]
    assert len(counts) == 8
    assert not any(
        count["differ"] or count["not reached"] or count["not as said"] for count in counts
    )
    assert sum(count["reached"] for count in counts) == 8
    assert sum(count["other than now"] for count in counts) >= 4
