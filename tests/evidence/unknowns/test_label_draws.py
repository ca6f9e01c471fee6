"""Drawn labels follow B23's algorithm 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.whole_arrays import codes_of, documents_of

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._grades import UNJUDGED
from poolwise.evidence._meeting import align
from poolwise.evidence.unknowns._label_draws import _Sampler, _settle, draw_labels
from poolwise.evidence.unknowns._priors import PRIORS, grade_prior

grades = st.one_of(st.none(), st.integers(0, 3))
rankings = st.lists(st.lists(grades, min_size=1, max_size=6), min_size=1, max_size=4)
elsewhere = st.lists(st.integers(0, 3), max_size=6)


def build(lists: list[list[int | None]], extra: list[int]) -> Evidence:
    judged = [g for ranking in lists for g in ranking if g is not None] + extra
    return Evidence.from_grades(lists, judged=judged or [0], scale=[0, 1, 2, 3])


def algorithm_1(targets: list[int], left: list[int]) -> list[int]:
    """B23 algorithm 1, lines 4 to 14, word for word."""
    left, labels = list(left), []
    for target in targets:
        label = next((g for g in range(target, -1, -1) if left[g] > 0), None)
        if label is not None:
            left[label] -= 1
        labels.append(label or 0)
    return labels


@given(
    left=st.lists(st.integers(0, 3), min_size=4, max_size=4),
    targets=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=8),
)
def test_labels_are_those_of_the_paper(left: list[int], targets: list[list[int]]) -> None:
    """Settling grade by grade gives what the paper's loop over documents gives."""
    sampler = _Sampler(
        build([[None]], [3]), 0, grade_prior(build([[None]], [3]), "pool"),
        np.random.default_rng(0), 3,
    )  # fmt: skip
    lists = np.zeros(len(targets), np.intp)
    labels = _settle(sampler, np.array(targets, np.int8), lists, np.array([left]))
    for draw in range(3):
        assert labels[:, draw].tolist() == algorithm_1([t[draw] for t in targets], left)


@given(lists=rankings, extra=elsewhere, prior=st.sampled_from(list(PRIORS)), joint=st.booleans())
@settings(deadline=None)
def test_labels_never_exceed_the_pool(
    lists: list[list[int | None]], extra: list[int], prior: str, *, joint: bool
) -> None:
    """In no draw does a list hold more documents of a grade than the pool has."""
    evidence = build(lists, extra)
    for drawn in draw_labels(evidence, rng=5, prior=prior, draws=20, joint=joint):
        for grade in range(1, 4):
            counts = (drawn.block.codes == grade).sum(axis=2)
            assert (counts <= evidence.pool[drawn.topic, grade]).all()


@given(lists=rankings, extra=elsewhere, joint=st.booleans())
@settings(deadline=None)
def test_judged_documents_keep_their_grades(
    lists: list[list[int | None]], extra: list[int], *, joint: bool
) -> None:
    """Only unjudged documents are labelled, all of them, and only in lists that have some."""
    evidence = build(lists, extra)
    seen = []
    for drawn in draw_labels(evidence, rng=5, draws=3, joint=joint):
        seen += drawn.systems.tolist()
        before = codes_of(evidence)[drawn.systems, drawn.topic]
        assert (drawn.block.codes == before)[:, before != UNJUDGED].all()
        assert (drawn.block.codes[:, before == UNJUDGED] >= 0).all()
    assert sorted(seen) == [s for s, ranking in enumerate(lists) if None in ranking]


@pytest.mark.parametrize("joint", [False, True])
def test_the_seed_fixes_the_labels_whatever_the_batch_size(*, joint: bool) -> None:
    """Batches are a matter of memory: the same seed gives the same labels."""
    random = np.random.default_rng(3)
    lists = [[None if x > 3 else int(x) for x in row] for row in random.integers(0, 7, (9, 8))]
    evidence = build(lists, [1, 2, 3, 3])

    def labels(cells: int) -> list[list[int]]:
        parts = draw_labels(evidence, rng=11, draws=30, joint=joint, cells=cells)
        return np.concatenate([part.block.codes for part in parts], axis=1).tolist()

    assert labels(1) == labels(600) == labels(1 << 20)


@pytest.mark.parametrize("joint", [False, True])
def test_labels_follow_the_prior_where_the_pool_is_large(*, joint: bool) -> None:
    """With documents of every grade to spare, each grade comes as often as the prior says."""
    evidence = Evidence.from_grades([[None]], judged=[0] * 50 + [1] * 30 + [2] * 20)
    (drawn,) = draw_labels(evidence, rng=2, prior="pool", draws=40_000, joint=joint)
    shares = np.bincount(drawn.block.codes.ravel()) / 40_000
    # Four standard errors of a share of 0.5 in 40,000 draws.
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=4 * 0.0025)


def shared_collection() -> Evidence:
    """Three runs that share unjudged documents, at different ranks."""
    runs = Runs.from_rankings(
        {
            "a": {"1": ["r1", "x", "y", "n1"]},
            "b": {"1": ["x", "r1", "z", "y"]},
            "c": {"1": ["y", "x", "r2", "n1"]},
        }
    )
    of_topic = {"r1": 1, "r2": 2, "r3": 2, "n1": 0, "n2": 0}
    return align(Judgments.from_dict({"1": of_topic}), runs)


@pytest.mark.parametrize("prior", list(PRIORS))
def test_a_joint_draw_gives_a_document_one_label(prior: str) -> None:
    """In a joint draw a document has the same grade in every run."""
    evidence = shared_collection()
    (drawn,) = draw_labels(evidence, rng=4, prior=prior, draws=200, joint=True)
    codes, documents = drawn.block.codes, documents_of(evidence)[:, 0]
    for document in np.unique(documents):
        labels = codes[:, documents == document]
        assert (labels == labels[:, :1]).all()


def test_separate_draws_do_not_share_labels() -> None:
    """Drawn run by run, one document may be relevant here and not there."""
    evidence = shared_collection()
    (drawn,) = draw_labels(evidence, rng=4, draws=200)
    x_in_a, x_in_b = drawn.block.codes[:, 0, 1], drawn.block.codes[:, 1, 0]
    assert (x_in_a != x_in_b).any()


def test_without_judged_documents_labels_are_zero() -> None:
    """A topic without judgments has nothing to draw from: every label is grade 0."""
    evidence = Evidence.from_grades([[None, None]], judged=[0], scale=[0, 1])
    (drawn,) = draw_labels(evidence, rng=1, draws=5)
    assert not drawn.block.codes.any()


def test_a_document_for_which_no_grade_is_left_has_grade_zero() -> None:
    """Grade 0 belongs to every scale, also where no document of the pool has it."""
    judgments = Judgments.from_dict({"1": {"a": 1, "b": 2}})
    runs = Runs.from_rankings({"r": {"1": ["x", "y", "z"]}})
    (drawn,) = draw_labels(align(judgments, runs), rng=1, prior="pool", draws=50)
    labels = np.sort(drawn.block.codes[:, 0], axis=1)
    assert (labels[:, 0] == 0).all()
    assert labels.max() == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [({"draws": 0}, "draws: at least one"), ({"prior": "flat"}, "'flat' is not known")],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    """A wrong option is named, with the remedy."""
    with pytest.raises(OptionError, match=message):
        list(draw_labels(Evidence.from_grades([[None]], judged=[1]), rng=1, **options))
