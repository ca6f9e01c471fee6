"""Draws on the topics where most is open: the same numbers as draws on all topics."""

import pytest

import poolwise as pw
from poolwise.findings.drawn_topics import draw_topics
from poolwise.scores.treatments.run_on_topic import draw_scores

MADE = pw.simulate(systems=4, topics=12, depth=30, rng=2)
EVIDENCE = pw.align(MADE.judgments, MADE.runs)


@pytest.mark.parametrize("measure", ["nDCG@10", "P@5", "RR@5", "AP@10"])
def test_a_topic_has_the_draws_that_it_has_beside_all_others(measure: str) -> None:
    """Shares, single scores and provenance are those of drawing grades for every topic."""
    found = draw_topics(EVIDENCE, measure, run="maverick-1", most=4, draws=50, rng=3)
    assert len(found.topics) == 4
    for one in found.topics:
        whole = draw_scores(
            EVIDENCE.select(["maverick-1"]),
            measure,
            run="maverick-1",
            topic=one.topic,
            draws=50,
            rng=3,
        )
        assert one.columns() == whole.columns()
        assert (one.plain, one.condensed, one.highest) == (
            whole.plain,
            whole.condensed,
            whole.highest,
        )
        assert one.provenance == whole.provenance
