"""W10's tables of pooling bias, from TREC-8, with fewer pools than the thesis."""

from pathlib import Path

import numpy as np
import pytest
from reproduce import pooling_bias as tables

WIDTH = 10


@pytest.fixture(scope="module")
def errors(data_dir: Path) -> dict[str, np.ndarray]:
    """Return mean absolute errors over 15 pools of ten automatic runs."""
    if not (data_dir / "trec8").is_dir():
        pytest.skip(f"no TREC-8 at {data_dir}")
    evidence, manual, automatic = tables.load()
    truth = tables.MEASURE.score(evidence)[manual]
    random = np.random.default_rng(5)
    pools = tables.sample_pools(evidence, manual, automatic, WIDTH, random)
    found: dict[str, list[np.ndarray]] = {"systems": [], "non-relevant": [], "condensed": []}
    for _, pool in zip(range(15), pools, strict=False):
        found["systems"].append(tables.from_systems(pool, WIDTH, truth))
        plain, condensed = tables.score_plain(pool, WIDTH), tables.score_condensed(pool, WIDTH)
        found["non-relevant"].append(tables.from_topics(truth, plain, random))
        found["condensed"].append(tables.from_topics(truth, condensed, random))
    return {name: np.mean(values, axis=0) for name, values in found.items()}


def test_bias_inferred_from_systems(errors: dict[str, np.ndarray]) -> None:
    """W10 table 6.1, width 10: raw 0.283, adjusted 0.237, within two standard errors of 100."""
    assert errors["systems"] == pytest.approx(tables.PUBLISHED_SYSTEMS[WIDTH], abs=0.02)


@pytest.mark.parametrize("scoring", ["non-relevant", "condensed"])
def test_bias_inferred_from_topics(errors: dict[str, np.ndarray], scoring: str) -> None:
    """W10 tables 6.4 and 6.5, width 10: unadjusted and adjusted errors."""
    published = tables.PUBLISHED_TOPICS[scoring][WIDTH]
    assert errors[scoring][:4] == pytest.approx(published[:4], abs=0.02)
    assert errors[scoring][4:] == pytest.approx(published[4:], abs=0.01)
