"""What the tables about the gate say, on fewer samples."""

from pathlib import Path

import numpy as np
import pytest

from validate import gate, gate_labels
from validate.table import Folders


def test_weights_give_the_mean_that_is_wanted() -> None:
    """Whatever the differences are, as long as some are above it and some below."""
    deltas = np.random.default_rng(1).normal(0.03, 0.2, 50)
    for mean in (-0.04, -0.02, 0.0):
        weights = gate.tilted_weights(deltas, mean)
        assert weights @ deltas == pytest.approx(mean)
        assert weights.sum() == pytest.approx(1)
        assert (weights > 0).all()


@pytest.mark.parametrize("topics", [25, 50])
def test_a_candidate_worse_by_the_margin_seldom_passes(data_dir: Path, topics: int) -> None:
    """In at most 5% of samples, over real pairs of runs; a plain t limit lets more pass."""
    pairs = gate.real_pairs(Folders(data_dir, Path()), "trec-dl-2019", "nDCG@10")
    rates = gate._mean(gate._simulated(pairs[:20], topics, gate.MARGIN))
    assert rates.passed <= 0.05
    assert rates.passed < rates.by_t


def test_a_pass_names_the_share_that_it_cannot_see() -> None:
    """With 2% of 50 topics hurt 36% of samples hold none; with the share named no more than 5%."""
    by_chance, guarded, unseen = gate._rare(50, 0.02)
    assert unseen == pytest.approx(0.98**50, abs=0.01)
    assert by_chance.passed == pytest.approx(unseen, abs=0.01)
    assert guarded <= unseen
    _, named, _ = gate._rare(50, gate.unseen_share(50, gate.ALPHA))
    assert named == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize("worth", [0.0, 1.0])
def test_with_machine_labels_a_worse_candidate_seldom_passes(
    worth: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the labels are noise or people's own; good ones let more equal candidates pass."""
    monkeypatch.setattr(gate_labels, "TRIALS", 60)
    rng = np.random.default_rng(2)
    pairs = []
    for _ in range(8):
        human, noise = rng.beta(2, 2, (2, 45)), rng.beta(2, 2, (2, 45))
        human[1] = human[0] + 0.3 * (human[1] - human[0])
        pairs.append(gate_labels.Pair(human, worth * human + (1 - worth) * noise))
    rates = gate_labels._of_topics(pairs, 20, 60)
    assert rates.wrong <= 0.05
    assert (rates.equal > rates.alone + 0.1) is (worth == 1)
