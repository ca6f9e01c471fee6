"""Topics are put into bands by how much of a run is unjudged there."""

from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError

MADE = pw.simulate(systems=6, topics=20, depth=30, rng=3)
TABLE_7 = {
    ("ance-09-01-2023", 1): (0.356, 0.489, 0.683, 0.838, 0.650),
    ("colbert-ranking-26-12-2022", 1): (0.333, 0.485, 0.641, 0.770, 0.626),
    ("tas-b-09-01-2023", 1): (0.325, 0.597, 0.875, 0.902, 0.597),
    ("ance-09-01-2023", 2): (0.656, 0.207, 0.547, 0.769, 0.357),
    ("colbert-ranking-26-12-2022", 2): (0.629, 0.337, 0.679, 0.881, 0.447),
    ("tas-b-09-01-2023", 2): (0.738, 0.211, 0.584, 0.918, 0.330),
    ("ance-09-01-2023", 3): (0.224, 0.652, 0.772, 0.853, 0.735),
    ("colbert-ranking-26-12-2022", 3): (0.172, 0.680, 0.770, 0.826, 0.734),
    ("tas-b-09-01-2023", 3): (0.410, 0.481, 0.705, 0.871, 0.555),
}
"""B23, by run and band: U@10, default, condensed, naive upper bound, all judged."""


def test_bands_hold_the_topics_of_their_share() -> None:
    """A band has its lower edge, and not its upper one; all topics are in one of them."""
    bands = pw.studies.estimate_by_unjudged(
        MADE.judgments, MADE.runs, "P@10", edges=[0.3, 0.6], treatments="nonrelevant"
    )
    evidence = pw.align(MADE.judgments, MADE.runs)
    shares = pw.score(evidence, "Unjudged@10", bounds="none").value
    plain = pw.score(evidence, "P@10").value
    assert (bands.topics[:, :-1].sum(axis=1) == bands.topics[:, -1]).all()
    for s in range(6):
        some = (shares[s] >= 0.3) & (shares[s] < 0.6)
        assert bands.topics[s, 1] == some.sum()
        if some.any():
            assert bands.means["nonrelevant"][s, 1] == pytest.approx(plain[s, some].mean())
            assert bands.unjudged[s, 1] == pytest.approx(shares[s, some].mean())
        else:
            assert np.isnan(bands.means["nonrelevant"][s, 1])
    np.testing.assert_allclose(bands.means["nonrelevant"][:, -1], plain.mean(axis=1))


def test_b23_table_7(data_dir: Path) -> None:
    """The nine rows of three neural runs on TREC-COVID, without the drawn columns."""
    folder = data_dir / "b23-case-study"
    names = ("incomplete-beir-trec-covid.txt.gz", "complete-annotation-trec-covid.txt.gz")
    judgments, complete = (pw.read_judgments(folder / n, negative="zero") for n in names)
    bands = pw.studies.estimate_by_unjudged(
        judgments,
        pw.read_runs(folder / "runs", ties="docid"),
        complete=complete,
        treatments=["nonrelevant", "condensed", "naive"],
    )
    for (run, band), printed in TABLE_7.items():
        place = bands.systems.index(run), band
        ours = (
            bands.unjudged[place],
            bands.means["nonrelevant"][place],
            bands.means["condensed"][place],
            bands.upper["naive"][place],
            bands.truth[place],
        )
        np.testing.assert_allclose(ours, printed, atol=0.00051)


def test_the_nearest_treatment_is_named_by_band() -> None:
    """What comes nearest is said of each band that has topics; without a truth, that it is not."""
    bands = pw.studies.estimate_by_unjudged(
        MADE.judgments,
        MADE.runs,
        "P@10",
        complete=MADE.truth,
        treatments=["nonrelevant", "condensed"],
    )
    assert bands.sentences()[-1].startswith("Over all topics, ")
    errors = {n: np.abs(m - bands.truth)[:, -1].mean() for n, m in bands.means.items()}
    assert min(errors, key=errors.__getitem__) in bands.sentences()[-1]
    alone = pw.studies.estimate_by_unjudged(MADE.judgments, MADE.runs, treatments="condensed")
    assert alone.sentences()[0].endswith("not known without complete judgments.")


def test_a_share_lies_between_0_and_1() -> None:
    """An edge of 25 is 25%, and is said to be wrong."""
    with pytest.raises(OptionError, match="between 0 and 1"):
        pw.studies.estimate_by_unjudged(MADE.judgments, MADE.runs, edges=[25])
