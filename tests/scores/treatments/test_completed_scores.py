"""Scores under drawn grades, against scoring the same grades as judgments."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.strategies import evidences

from poolwise import Evidence
from poolwise.arrays import Floats
from poolwise.evidence._grades import POOLED, UNJUDGED
from poolwise.evidence.unknowns.relevance_model._relevance import TopicGrades
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.scores.treatments._completed_scores import score_completions

DRAWS = 3
MEASURES = (
    *("P@3", "RBP(p=0.8)", "DCG@4", "nDCG@3", "nDCG", "enDCG@2", "nRBP(p=0.5)", "AP", "AP@3"),
    *("aAP@3", "AP(rel=2)", "Rprec", "R@3", "Q@4", "RR", "ERR@3", "Success@2"),
)


def best_ranks(evidence: Evidence, topic: int) -> dict[int, int]:
    """Return the best rank, from 1, of each document row without a grade on a topic."""
    number, place = evidence.locate(topic)
    block, best = evidence.blocks[number], {}
    for s, k in np.argwhere(np.isin(block.codes[:, place], (UNJUDGED, POOLED))).tolist():
        row = int(block.document_starts[place] + block.documents[s, place, k])
        best[row] = min(best.get(row, k + 1), k + 1)
    return best


def drawn(evidence: Evidence, rng: np.random.Generator) -> list[TopicGrades]:
    """Draw grades for all documents without one."""
    found = []
    for topic in range(len(evidence.topics)):
        best = best_ranks(evidence, topic)
        rows = np.array(sorted(best), np.int64)
        labels = rng.integers(0, len(evidence.scale), (len(rows), DRAWS))
        ranks = np.array([best[row] for row in rows.tolist()], np.float32)
        found.append(TopicGrades(topic, rows, ranks, labels))
    return found


def judged_so(evidence: Evidence, grades: list[TopicGrades], draw: int, kept: Floats) -> Evidence:
    """Return the evidence under judgments that hold the drawn grades of the kept rows, too."""
    codes = np.full(len(evidence.document_ids), UNJUDGED, np.int8)
    for block in evidence.blocks:
        inside = block.documents >= 0
        codes[block.rows(block.documents)[inside]] = block.codes[inside]
    pool = evidence.pool.copy()
    for one in grades:
        for row, label in zip(one.rows.tolist(), one.labels[:, draw].tolist(), strict=True):
            if kept[row]:
                codes[row] = label
                pool[one.topic, label] += 1
    return evidence.with_blocks(
        block.regrade(codes, pool[topics])
        for topics, block in zip(evidence.slices, evidence.blocks, strict=True)
    )


def expected(
    evidence: Evidence, measure: Measure, grades: list[TopicGrades], depth: int, *, shared: bool
) -> Floats:
    """Score draw by draw, and run by run where each is scored by its own documents."""
    reach = min(depth, getattr(measure, "cutoff", None) or depth)
    plain = measure.score(evidence)
    whole = np.empty((*plain.shape, DRAWS))
    for draw in range(DRAWS):
        for s in range(len(evidence.systems)):
            kept = np.zeros(len(evidence.document_ids))
            for block in evidence.blocks:
                lists = block.documents[:, :, :reach] if shared else block.documents[[s], :, :reach]
                kept[block.rows(lists)[lists >= 0]] = 1
            whole[s, :, draw] = measure.score(judged_so(evidence, grades, draw, kept))[s]
    whole[np.isnan(plain)] = np.nan
    return whole


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("shared", [True, False], ids=["all runs", "own documents"])
@given(evidence=evidences(), depth=st.integers(1, 6), seed=st.integers(0, 99))
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
def test_a_completion_scores_as_judgments_would(
    name: str, evidence: Evidence, depth: int, seed: int, *, shared: bool
) -> None:
    """A drawn score is what the measure gives where the drawn grades are in the qrels."""
    measure = parse_measure(name)
    grades = drawn(evidence, np.random.default_rng(seed))
    kept = [g for g in grades if len(g.rows)]
    found = score_completions(evidence, measure, kept, draws=DRAWS, depth=depth, shared=shared)
    truth = expected(evidence, measure, grades, depth, shared=shared)
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-12)
