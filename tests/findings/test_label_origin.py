"""Whose help judgments were made with: one run's is found, and an honest pool accuses none."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings import LabelOrigin
from poolwise.workflows import audit_origin

MADE = pw.simulate(systems=8, topics=20, depth=30, rng=2)
FIRST, SECOND = MADE.runs.systems[:2]


def origin(judgments: pw.Judgments, **how: object) -> LabelOrigin:
    """Return what is found of the simulated runs."""
    return audit_origin(judgments, MADE.runs, resamples=999, **how)  # type: ignore[arg-type]


def pool_of(*runs: str, depth: int = 10) -> pw.Judgments:
    """Return the judgments of the first ranks of these runs."""
    return pw.pool(MADE.truth, MADE.runs.select(runs or MADE.runs.systems), depth=depth)


def test_what_only_a_run_has_is_counted_by_brute_force() -> None:
    """There, judged and relevant, by run, and the score without these grades."""
    judgments = pool_of(FIRST, SECOND)
    traced = origin(judgments)
    grades = judgments.to_dict()
    heads = {
        (run, topic): set(MADE.runs.ranking(run, topic)[: traced.depth])
        for run in MADE.runs.systems
        for topic in judgments.topics
    }
    columns = traced.columns()
    for run in (FIRST, MADE.runs.systems[-1]):
        counts = np.zeros(3, int)
        left = {topic: dict(graded) for topic, graded in grades.items()}
        for topic in judgments.topics:
            others = set().union(*(heads[r, topic] for r in MADE.runs.systems if r != run))
            for document in heads[run, topic] - others:
                grade = grades[topic].get(document)
                counts += (1, grade is not None, (grade or 0) > 0)
                left[topic].pop(document, None)
        at = columns["run"].index(run)
        cells = [columns[name][at] for name in ("own", "own_judged", "own_relevant")]
        assert cells == counts.tolist()
        alone = MADE.runs.select([run])
        scores = [
            pw.score(pw.align(qrels, alone, topics=judgments.topics), "nDCG@10", bounds="none")
            for qrels in (judgments, pw.Judgments.from_dict(left))
        ]
        fall = np.nan_to_num(scores[0].value).mean() - np.nan_to_num(scores[1].value).mean()
        assert columns["fall"][at] == pytest.approx(fall)


def test_one_run_that_made_the_judgments_is_named() -> None:
    """Alone, or with the first ranks of all others; by group, where its twin shares all it has."""
    alone = origin(pool_of(FIRST))
    assert alone.stands_out == FIRST
    assert f"with the help of {FIRST}: of the documents" in alone.sentences()[0]
    both = pool_of(FIRST).to_dict()
    for topic, graded in pool_of(depth=2).to_dict().items():
        both[topic] = both.get(topic, {}) | graded
    assert origin(pw.Judgments.from_dict(both)).stands_out == FIRST
    group = {run: run.split("-", maxsplit=1)[0] for run in MADE.runs.systems}
    members = [run for run in MADE.runs.systems if group[run] == group[FIRST]]
    assert origin(pool_of(*members), groups=group).stands_out == group[FIRST]


@pytest.mark.parametrize("runs", [(), (FIRST, MADE.runs.systems[-1])])
def test_an_honest_pool_accuses_none(runs: tuple[str, ...]) -> None:
    """Of all runs, or of two of them: what one alone has is judged as the other's is."""
    traced = origin(pool_of(*runs))
    assert traced.stands_out == ""
    assert "No run stands out as the maker of the judgments" in traced.sentences()[0]
    assert "the largest fall" in traced.sentences()[1]


def test_without_judged_documents_that_are_not_relevant_a_better_run_looks_the_same() -> None:
    """Which is said; with few topics there is no test at all."""
    judgments = pool_of(FIRST)
    positive = judgments.keep(judgments.scale[judgments.codes] > 0)
    traced = origin(positive)
    assert "Only relevant documents are judged, so that there is no test" in traced.sentences()[0]
    assert traced.stands_out == ""
    assert set(traced.columns()["p"]) == {None}
    few = judgments.select(topics=judgments.topics[:5])
    assert origin(few).test is None
    assert "There is no test" in origin(few).sentences()[0]
