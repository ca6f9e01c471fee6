"""The native kernels find what their twins in numpy find."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import heavy
from tests.properties.strategies import evidences

from poolwise import Evidence, align, simulate
from poolwise.arrays import Floats
from poolwise.evidence._evidence import DocumentBlock, Pairs
from poolwise.evidence._grades import Block
from poolwise.measures._names import parse_measure
from poolwise.measures.bounds import _differences, _staircase
from poolwise.measures.bounds._differences import shared_worth, shared_worth_in_numpy
from poolwise.measures.bounds._exact import NormalizedForm
from poolwise.measures.bounds.kernels import _native
from poolwise.measures.bounds.kernels import _pairs as pair_kernels

built = pytest.mark.skipif(_native.library() is None, reason="no native library was built")
Numbers = tuple[Floats, ...] | Floats


def all_pairs(block: DocumentBlock) -> Pairs:
    """Return every pair of systems in both orders, and each with itself."""
    return Pairs(*np.indices((len(block.codes),) * 2).reshape(2, -1))


def forms(block: Block) -> tuple[NormalizedForm, ...]:
    """Return nDCG and nDCG@3 with two kinds of gain, recall at 3, and nRBP."""
    binary, graded = (block.scale >= 1).astype(np.float64), np.sqrt(block.scale)
    return (
        NormalizedForm(block.scale, block.scale[-1], log2, log2),
        NormalizedForm(graded, graded[-1], cut(log2), cut(log2), log2(3).sum()),
        NormalizedForm(binary, 1.0, cut(np.ones), np.ones),
        NormalizedForm(binary, 1.0, geometric, geometric, 1 / 0.3),
    )


def geometric(depth: int) -> Floats:
    return 0.7 ** np.arange(depth)


def log2(depth: int) -> Floats:
    return 1 / np.log2(np.arange(depth) + 2)


def cut(weights: Callable[[int], Floats]) -> Callable[[int], Floats]:
    return lambda depth: np.where(np.arange(depth) < 3, weights(depth), 0.0)


def of_form(
    formula: Callable[..., Numbers],
    form: NormalizedForm,
    unlisted: Floats,
    seen: DocumentBlock,
    pairs: Pairs,
) -> Numbers:
    """Call a formula that takes a form."""
    return formula(seen, form, pairs, unlisted)


Formula = Callable[[DocumentBlock, Pairs], Numbers]


def formulas(seen: DocumentBlock, unlisted: float) -> Iterator[tuple[Formula, Formula]]:
    """Yield each kernel and its twin, with options that go with the lists."""
    falling = 0.8 ** np.arange(seen.depth)
    stops = (2**seen.scale - 1) / 2 ** seen.scale[-1]
    further = np.full((len(all_pairs(seen)), seen.shape[1]), unlisted)
    over_relevant = {"level": 1, "unlisted": further}
    yield partial(shared_worth, worth=falling), partial(shared_worth_in_numpy, worth=falling)
    for form in forms(seen):
        modules = pair_kernels, _differences
        yield tuple(partial(of_form, m.normalized_difference, form, further) for m in modules)
    for twin, options in (
        (_differences.first_relevant_difference, {"level": 1, "worth": falling}),
        (_staircase.precision_sum_difference, {"level": 1}),
        (_staircase.stopping_difference, {"stops": stops}),
        (_staircase.precision_sums_over_relevant, over_relevant),
        (_staircase.precision_sums_over_relevant, over_relevant | {"cap": 3.0}),
        (_differences.average_precision_difference, over_relevant),
        (_differences.average_precision_difference, over_relevant | {"cap": 3.0}),
    ):
        kernel = getattr(pair_kernels, twin.__name__)
        yield partial(kernel, **options), partial(twin, **options)


def assert_equal(seen: DocumentBlock, unlisted: float) -> None:
    pairs = all_pairs(seen)
    for kernel, twin in formulas(seen, unlisted):
        ends, expected = kernel(seen, pairs), twin(seen, pairs)
        np.testing.assert_allclose(ends, expected, rtol=0, atol=1e-12, err_msg=str(twin))


@built
@settings(deadline=None, max_examples=heavy(50))
@given(evidences(), st.integers(1, 9), st.sampled_from([0, 2, np.inf]))
def test_kernels_and_twins_agree(evidence: Evidence, cutoff: int, unlisted: float) -> None:
    """A kernel and its twin agree to 1e-12 on small lists, empty ones and missing topics."""
    for block in evidence.blocks:
        assert_equal(block.truncate(cutoff), unlisted)


@pytest.fixture(scope="module")
def long_lists() -> DocumentBlock:
    """Return lists with many shared unjudged documents."""
    made = simulate(systems=4, topics=3, depth=60, pool_depth=3, rng=3)
    return align(made.judgments, made.runs).blocks[0].truncate(24)


@built
@pytest.mark.parametrize("unlisted", [0, np.inf])
def test_kernels_and_twins_agree_on_long_lists(long_lists: DocumentBlock, unlisted: float) -> None:
    """A kernel and its twin agree to 1e-12 where dozens of documents are shared."""
    assert_equal(long_lists, unlisted)


@built
def test_threads_change_nothing(long_lists: DocumentBlock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are the same to the last bit on one thread and on three."""
    monkeypatch.setattr(_native, "_CELLS", 0)
    results = []
    for count in (1, 3):
        monkeypatch.setattr(_native.os, "cpu_count", lambda count=count: count)
        pairs = all_pairs(long_lists)
        results.append([kernel(long_lists, pairs) for kernel, _ in formulas(long_lists, 7)])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


@built
def test_without_a_library_the_twins_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no library could be built, differences are the same, from numpy alone."""
    made = simulate(systems=3, topics=2, depth=8, pool_depth=2, rng=1)
    evidence = align(made.judgments, made.runs)
    pairs, names = all_pairs(evidence.blocks[0]), ("RR@5", "SP@5", "ERR@5", "AP@5", "AP", "P@3")
    with_kernels = [parse_measure(name).difference_bounds(evidence, pairs) for name in names]
    monkeypatch.setattr(pair_kernels, "library", lambda: None)
    for name, expected in zip(names, with_kernels, strict=True):
        bounds = parse_measure(name).difference_bounds(evidence, pairs)
        assert bounds.kind == expected.kind
        np.testing.assert_allclose(bounds[1:], expected[1:], rtol=0, atol=1e-12, err_msg=name)


def test_a_library_that_cannot_be_loaded_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is missing is no error."""
    monkeypatch.setattr(_native, "__file__", "nowhere/module.py")
    assert _native.library.__wrapped__() is None
