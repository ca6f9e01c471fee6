"""Small random evidence, and every grading of its unjudged documents."""

from itertools import product

import numpy as np
from hypothesis import strategies as st
from tests.whole_arrays import codes_of, grades_of, with_pool

from poolwise import Evidence, Grades, Judgments, Runs, align
from poolwise.evidence._grades import BEYOND

__all__ = ["all_gradings", "evidences", "single_lists"]

SCALES = ([0, 1], [0, 1, 2], [0, 0.5, 1, 2.5])
DOCUMENTS = "abcdefgh"


@st.composite
def evidences(draw: st.DrawFn, *, systems: int = 3, topics: int = 3) -> Evidence:
    """Draw graded, unjudged and pooled documents, empty lists, missing topics, several systems."""
    grades = st.sampled_from([-1, *draw(st.sampled_from(SCALES))])
    judged = st.dictionaries(st.sampled_from(DOCUMENTS), grades, max_size=8)
    ranking = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=8)
    names = [str(t) for t in range(1, draw(st.integers(1, topics)) + 1)]
    # A topic of its own carries the whole scale, so that it does not hang on what was drawn.
    qrels = {t: draw(judged) for t in names} | {"0": {"a": 0, "b": 1, "c": 2.5}}
    lists = {
        f"run{s}": {t: draw(ranking) for t in names} | {"0": ["c", "x", "a"]}
        for s in range(draw(st.integers(1, systems)))
    }
    return align(Judgments.from_dict(qrels), Runs.from_rankings(lists))


@st.composite
def single_lists(draw: st.DrawFn) -> Evidence:
    """Draw one list with at most three unjudged documents, and a pool that may hold more."""
    scale = draw(st.sampled_from(SCALES))
    judged = draw(st.lists(st.sampled_from(scale), max_size=5))
    ranking = draw(st.permutations([*judged, *[None] * draw(st.integers(0, 3))]))
    missed = draw(st.lists(st.sampled_from(scale), max_size=3))
    evidence = Evidence.from_grades([ranking], scale=scale)
    pool = [[(*judged, *missed).count(level) for level in evidence.scale.tolist()]]
    return with_pool(evidence, np.array(pool))


def all_gradings(evidence: Evidence) -> Grades:
    """Return one topic for each grading of the unjudged documents of a single list."""
    codes = codes_of(evidence)[0, 0]
    unknown = np.flatnonzero((codes < 0) & (codes != BEYOND))
    choices = list(product(range(len(evidence.scale)), repeat=len(unknown)))
    graded = np.tile(codes, (1, len(choices), 1))
    graded[0, :, unknown] = np.array(choices, codes.dtype).reshape(len(choices), -1).T
    added = [[c.count(g) for g in range(len(evidence.scale))] for c in choices]
    return grades_of(evidence, graded, evidence.pool + np.array(added))
