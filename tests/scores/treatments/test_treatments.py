"""One run on one topic: drawn grades beside the condensed score and the naive bounds."""

from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.scores.treatments._treatments import draw_scores

MADE = pw.simulate(systems=5, topics=6, depth=30, rng=4)
EVIDENCE = pw.align(MADE.judgments, MADE.runs)
RUN, TOPIC = MADE.runs.systems[-1], EVIDENCE.topics[2]


@pytest.mark.parametrize("measure", ["nDCG@10", "P@5", "RR@10"])
def test_each_number_is_that_of_its_treatment(measure: str) -> None:
    """Plain, condensed and naive scores are those of the treatments, draws those of all runs."""
    scores = draw_scores(EVIDENCE, measure, run=RUN, topic=TOPIC, draws=200)
    place = EVIDENCE.systems.index(RUN), EVIDENCE.topics.index(TOPIC)
    naive = pw.score(EVIDENCE, measure, bounds="naive")
    condensed = pw.scores.estimate(EVIDENCE, measure, treatment="condensed")
    assert scores.plain == naive.value[place]
    assert scores.highest == naive.upper[place]
    assert scores.condensed == condensed.value[place]
    drawn = pw.scores.bootstrap(EVIDENCE, measure, draws=200).values[place]
    np.testing.assert_allclose(scores.values, np.unique(drawn.round(12)), atol=1e-11)


def test_draws_of_a_run_do_not_depend_on_the_others() -> None:
    """A run by itself draws what it draws among all."""
    whole = draw_scores(EVIDENCE, "nDCG@10", run=RUN, topic=TOPIC, draws=100)
    alone = draw_scores(EVIDENCE.select([RUN]), "nDCG@10", run=RUN, topic=TOPIC, draws=100)
    assert whole.columns() == alone.columns()


def test_b23_figure_1(data_dir: Path) -> None:
    """The naive upper bound of ANCE is very unlikely on topics 3, 19 and 34 of TREC-COVID."""
    folder = data_dir / "b23-case-study"
    name = "incomplete-beir-trec-covid.txt.gz"
    evidence = pw.align(
        pw.read_judgments(folder / name, negative="zero"),
        pw.read_runs(folder / "runs", ties="docid"),
    )
    for topic in ("3", "19", "34"):
        scores = draw_scores(evidence, "nDCG@10", run="ance-09-01-2023", topic=topic)
        beyond = scores.shares[scores.values >= scores.highest - 1e-9].sum()
        assert beyond < 0.05
        assert scores.plain <= scores.mode < scores.highest


def test_shares_of_judged_documents_have_no_highest_grade() -> None:
    """What counts judgments, not grades, cannot be filled with grades."""
    evidence = pw.Evidence.from_grades([[1, None]])
    with pytest.raises(pw.OptionError, match="'rbp-inspired' cannot treat Judged@2"):
        pw.scores.estimate(evidence, "Judged@2", treatment="rbp-inspired")
