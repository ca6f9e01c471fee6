"""What the table of estimates from samples says, on fewer samples."""

from dataclasses import replace

import numpy as np

from poolwise import Judgments, align, simulate
from validate.sampling import study_samples


def test_estimates_are_unbiased_and_intervals_hold_the_truth() -> None:
    """Horvitz–Thompson has no bias that 100 samples could show, and its intervals cover."""
    made = simulate(systems=3, topics=12, depth=60, rng=4)
    complete = align(made.truth, made.runs)
    labelled = replace(made.truth, scale=np.append(-1.0, made.truth.scale))
    strata = np.arange(len(made.truth.codes)) % 2
    labelled = labelled.with_sampling(stratum=strata)

    def draw(rng: np.random.Generator) -> Judgments:
        """Draw a third of each stratum of each topic."""
        number = rng.random(len(strata))
        group = made.truth.topic_of_row * 2 + strata
        order = np.lexsort((number, group))
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order)) - np.searchsorted(group[order], group[order])
        drawn = place < np.bincount(group)[group] // 3
        return replace(labelled, codes=np.where(drawn, made.truth.codes + 1, 0).astype(np.int16))

    studies = study_samples(complete, draw, {"HT(P@40)": "P@40", "statAP": "AP"}, samples=100)
    plain = studies["HT(P@40)"]
    assert (plain.deviations > 2).mean() <= 0.15
    assert plain.deviations.max() < 4.5
    assert 0.9 <= plain.means_covered <= 0.99
    assert 0.88 <= plain.differences_covered <= 1
    assert not studies["statAP"].has_intervals
    assert studies["statAP"].row("thirds", "statAP")[-2:] == ("no interval", "no interval")
    assert abs(studies["statAP"].bias.mean()) < 0.05
    assert plain.row("thirds", "HT(P@40)")[:3] == ("thirds", "HT(P@40)", "36")
