"""What must be true of every measure: a new line in the catalogue is tested here at once."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import EXAMPLES, example
from tests.laws import heavy
from tests.properties.strategies import all_gradings, evidences, single_lists
from tests.whole_arrays import codes_of, grades_of

from poolwise import Evidence, Judgments, Measure, Runs, align, explain, parse_measure
from poolwise.evidence._evidence import Pairs
from poolwise.evidence._ungraded import Universe
from poolwise.measures import CATALOGUE
from poolwise.measures.families._adaptive_weights import AdaptiveWeights
from poolwise.measures.families._recall_based import SumOfPrecisions
from poolwise.measures.families._sets import Count, SetBased, SetPrecision
from poolwise.measures.families._static_weights import StaticWeights

NAMES = [name for entry in CATALOGUE for name in entry.examples]
MEASURES = [parse_measure(name) for name in NAMES]
RANGED = [m for m in MEASURES if m.range_kind != "none"]
WEIGHTED = (StaticWeights, AdaptiveWeights, SumOfPrecisions, SetPrecision)
TIGHT = (*WEIGHTED, SetBased, Count)
WHOLE_LISTS = Universe(depth="all")
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=repr)
few = settings(max_examples=heavy(30), deadline=None)


def test_a_name_parses_back() -> None:
    """The canonical name of a measure is read as the same measure."""
    for measure in MEASURES:
        assert parse_measure(repr(measure)) == measure
        assert hash(parse_measure(repr(measure))) == hash(measure), measure


def test_examples_are_canonical() -> None:
    """Every example in the catalogue is written as it will be printed."""
    assert [repr(m) for m in MEASURES] == NAMES


@every_measure
def test_a_measure_is_a_frozen_value(measure: Measure) -> None:
    """A measure cannot be changed, equals its like, and survives a trip to another process."""
    copy = pickle.loads(pickle.dumps(measure))  # noqa: S301  (our own bytes)
    assert copy == measure
    assert hash(copy) == hash(measure)
    assert measure != repr(measure)
    for name in [*measure.parameters(), "name", "anything"]:
        with pytest.raises(FrozenInstanceError):
            setattr(measure, name, 3)
    with pytest.raises(FrozenInstanceError):
        del measure.name
    with pytest.raises(TypeError, match="no parameter 'anything'"):
        type(measure)(anything=3)


def test_a_measure_explains_itself() -> None:
    """The explanation of a measure holds its name, formula, source and unknowns."""
    for measure in MEASURES:
        text = str(explain(measure))
        assert text.startswith(f"{measure!r}\n")
        assert " ".join(measure.definition.split()) in " ".join(text.split())
        assert measure.citation in text
        assert measure.unknowns, measure


@pytest.mark.parametrize("name", EXAMPLES)
def test_tiny_collections_can_be_scored(name: str) -> None:
    """Every measure copes with every odd collection; what is undefined has a reason."""
    evidence = example(name)
    for measure in MEASURES:
        value = measure.score(evidence)
        assert value.shape == (len(evidence.systems), len(evidence.topics)), measure
        assert measure.undefined or not np.isnan(value).any(), measure
        for bounds in (measure.bounds(evidence), measure.naive_bounds(evidence)):
            assert bounds.lower.shape == bounds.upper.shape == value.shape, measure


@few
@given(evidences())
def test_a_score_lies_within_its_bounds(evidence: Evidence) -> None:
    """Lower ≤ value ≤ upper to the last bit, for the bounds and for the naive bounds."""
    for measure in RANGED:
        value = measure.score(evidence)
        defined = ~np.isnan(value)
        for lower, upper in (measure.bounds(evidence), measure.naive_bounds(evidence)):
            assert (lower[defined] <= value[defined]).all(), measure
            assert (value[defined] <= upper[defined]).all(), measure


def at_level(level: float) -> list[Measure]:
    """Return every measure that has a level of relevance, at this one."""
    graded = {"linear", "exponential"}  # gains that leave no level to set
    return [
        measure(rel=level)
        for measure in MEASURES
        if "rel" in (has := measure.parameters()) and has.get("gain") not in graded
    ]


@few
@given(st.lists(st.sampled_from([None, 0, 1]), max_size=6), st.sampled_from([2, 3]))
def test_a_level_above_the_scale_leaves_nothing_relevant(
    grades: list[int | None], level: float
) -> None:
    """Scores are those of judgments without a relevant document, and no judgment moves them."""
    binary, zero = (
        Evidence.from_grades([ranking, ranking[::-1]], scale=[0, 1])
        for ranking in (grades, [g if g is None else 0 for g in grades])
    )
    pair = Pairs(np.array([0]), np.array([1]))
    for above, plain in zip(at_level(level), at_level(1), strict=True):
        value = above.score(binary)
        np.testing.assert_array_equal(value, plain.score(zero), err_msg=repr(above))
        if above.range_kind == "none" or above.name == "NumNonrelRet":
            continue  # the latter counts what a judgment can add, at any level
        difference = np.broadcast_to(value[:1] - value[1:], (2, 1, 1))
        for ends, point in (
            (above.bounds(binary), [value, value]),
            (above.naive_bounds(binary), [value, value]),
            (above.difference_bounds(binary, pair)[1:], difference),
        ):
            np.testing.assert_array_equal(ends, point, err_msg=repr(above))


@few
@given(evidences())
def test_systems_do_not_see_each_other(evidence: Evidence) -> None:
    """Systems scored one at a time score what they score together."""
    for measure in MEASURES:
        parts = [measure.score(evidence.select([system])) for system in evidence.systems]
        np.testing.assert_allclose(np.concatenate(parts), measure.score(evidence), rtol=1e-14)


@settings(few, max_examples=heavy(15))
@given(evidences())
def test_blocks_change_nothing(evidence: Evidence) -> None:
    """Topics in blocks of their own have the scores, bounds and differences they have together."""
    pairs = Pairs(*np.indices((len(evidence.systems),) * 2).reshape(2, -1))
    apart = evidence.recut(cells=1)
    filled = [(block.lengths.max(axis=0) > 0).sum() for block in apart.blocks]
    assert max(filled) <= 1, "topics without documents alone may share a block"
    for measure in MEASURES:
        for numbers in (
            lambda cut, m=measure: [m.score(cut), *m.bounds(cut), *m.naive_bounds(cut)],
            lambda cut, m=measure: m.difference_bounds(cut, pairs)[1:],
        ):
            for together, other in zip(numbers(evidence), numbers(apart), strict=True):
                np.testing.assert_allclose(
                    together, other, rtol=1e-13, atol=1e-14, err_msg=repr(measure)
                )


@few
@given(st.permutations("abcdefgh"))
def test_names_of_documents_and_topics_do_not_matter(letters: list[str]) -> None:
    """Renaming documents and topics changes no score."""
    name = dict(zip("abcdefgh", letters, strict=True))
    grades, rankings = EXAMPLES["some judged"]
    renamed = align(
        Judgments.from_dict(
            {f"t{t}": {f"doc-{name[d]}": g for d, g in gs.items()} for t, gs in grades.items()}
        ),
        Runs.from_rankings(
            {
                s: {f"t{t}": [f"doc-{name.get(d, d)}" for d in ds] for t, ds in lists.items()}
                for s, lists in rankings.items()
            }
        ),
    )
    for measure in MEASURES:
        before, after = measure.score(example("some judged")), measure.score(renamed)
        np.testing.assert_array_equal(before, after, err_msg=repr(measure))


@few
@given(single_lists())
def test_no_grading_leaves_the_bounds(evidence: Evidence) -> None:
    """Whatever grades the unjudged documents have, the score is within the bounds."""
    truths = all_gradings(evidence)
    for measure in RANGED:
        scores = measure.score(truths)
        lower, upper = measure.bounds(evidence, universe=WHOLE_LISTS)
        scores = scores[~np.isnan(scores)]
        assert (scores >= lower - 1e-12).all(), measure
        assert (scores <= upper + 1e-12).all(), measure


@few
@given(single_lists())
def test_bounds_of_weighted_precision_are_reached(evidence: Evidence) -> None:
    """The bounds of weighted precision, sets and counts are the extremes over all gradings."""
    truths = all_gradings(evidence)
    for measure in RANGED:
        if not isinstance(measure, TIGHT) or getattr(measure, "rel", 1) not in {None, 1}:
            continue
        scores = measure.score(truths)
        lower, upper = measure.bounds(evidence, universe=WHOLE_LISTS)
        if np.isnan(scores).all():
            assert np.isnan(lower).all(), measure
            continue
        assert np.nanmin(scores) == pytest.approx(lower.item(), abs=1e-12), measure
        assert np.nanmax(scores) == pytest.approx(upper.item(), abs=1e-12), measure


@few
@given(single_lists())
def test_a_judgment_never_widens_a_weighted_precision_interval(evidence: Evidence) -> None:
    """Judging one more document gives an interval within the one before."""
    unknown = np.flatnonzero(codes_of(evidence)[0, 0] < 0)
    for rank, code in [(r, c) for r in unknown for c in range(len(evidence.scale))]:
        codes, pool = codes_of(evidence), evidence.pool.copy()
        codes[0, 0, rank] = code
        pool[0, code] += 1
        more = grades_of(evidence, codes, pool)
        for measure in [m for m in MEASURES if isinstance(m, WEIGHTED)]:
            before, after = measure.bounds(evidence), measure.bounds(more)
            assert (after.lower >= before.lower - 1e-12).all(), measure
            assert (after.upper <= before.upper + 1e-12).all(), measure


@few
@given(
    grades=st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=8),
    name=st.sampled_from(["RBP(p=0.8)", "RBP(p=0.5,gain='linear')", "INSQ(T=2)"]),
)
def test_an_unjudged_document_at_the_end_leaves_the_residual(
    grades: list[int | None], name: str
) -> None:
    """An unjudged document at the end of a list was already part of the unknown tail."""
    measure = parse_measure(name)
    assert isinstance(measure, StaticWeights)
    shorter, longer = (
        measure.residual(Evidence.from_grades([ranking], scale=[0, 1, 2]))
        for ranking in (grades, [*grades, None])
    )
    assert longer == pytest.approx(shorter, abs=1e-14)


PERFECT = [
    *("AP", "aAP@5", "Q", "Q@3", "R", "SetR", "Rprec", "nP@3", "RR", "Success@1", "P@1", "Bpref"),
    *("nDCG", "nDCG@3", "nDCG(dcg='exp-jk')@4", "enDCG", "nRBP(p=0.9)", "nRBP(p=0.7)@2"),
    *("IPrec@0.7", "AvgIPrec", "binG", "G", "nDCGRel", "RnDCG"),
]


@few
@given(st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=6), st.integers(0, 3))
def test_a_perfect_ranking_scores_one(relevant: list[int], others: int) -> None:
    """All relevant documents, best first, score 1 where 1 is the best a topic allows."""
    ranking = [*sorted(relevant, reverse=True), *[0] * others]
    evidence = Evidence.from_grades([ranking])
    for name in PERFECT:
        assert parse_measure(name).score(evidence) == pytest.approx(1, abs=1e-12), name


@few
@given(evidences())
def test_relevant_documents_further_up_never_cost_anything(evidence: Evidence) -> None:
    """Moving the best document of a list to its top never lowers a rank-based score."""
    codes = codes_of(evidence)
    best = codes.argmax(axis=2)[:, :, None]
    ranks = np.arange(evidence.depth)
    # The best document first, then the others in their order.
    order = np.where(ranks == 0, best, np.where(ranks <= best, ranks - 1, ranks))
    better = grades_of(evidence, np.take_along_axis(codes, order, axis=2), evidence.pool)
    for name in ("AP", "nDCG", "nDCG@3", "RR", "ERR", "RBP(p=0.8)", "Q", "INSQ(T=1)", "Bpref"):
        before, after = (parse_measure(name).score(e) for e in (evidence, better))
        defined = ~np.isnan(before)
        assert (after[defined] >= before[defined] - 1e-12).all(), name
