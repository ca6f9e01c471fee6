"""The native kernels of single lists find what their twins in numpy find."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import heavy
from tests.measures.bounds.test_pair_kernels import built, forms
from tests.properties.strategies import evidences

from poolwise import Evidence, align, simulate
from poolwise.evidence._grades import Block
from poolwise.evidence._ungraded import weight_of
from poolwise.measures._ranges import Bounds
from poolwise.measures.bounds import _exact, _q
from poolwise.measures.bounds.kernels import _native as _lists

Formula = partial[Bounds]


def formulas(block: Block, unlisted: float) -> Iterator[tuple[Formula, Formula]]:
    """Yield each kernel and its twin."""
    further = np.full(block.shape, unlisted)
    for name, options in (
        *(("normalized_bounds", {"form": form}) for form in forms(block)),
        ("q_bounds", {"gains": np.array([0.0, *np.ones(len(block.scale) - 1)]), "beta": 1.0}),
        ("q_bounds", {"gains": block.scale, "beta": 1.0, "cutoff": 5}),
        ("q_bounds", {"gains": block.scale, "beta": 0.1}),
        ("average_precision_bounds", {"level": 1}),
        ("average_precision_bounds", {"level": 2, "cap": 3.0}),
        ("r_precision_bounds", {"level": 1}),
        ("r_precision_bounds", {"level": 1, "multiple": 0.4}),
        ("r_precision_bounds", {"level": 2, "multiple": 2.0}),
    ):
        twins = _q if name == "q_bounds" else _exact
        kernel, twin = (getattr(module, name) for module in (_lists, twins))
        yield tuple(partial(f, unlisted=further, **options) for f in (kernel, twin))


def assert_equal(block: Block, unlisted: float) -> None:
    for kernel, twin in formulas(block, unlisted):
        # The twin of Q adds up in the order in which its kernel does.
        close = 0 if twin.func is _q.q_bounds else 1e-12
        np.testing.assert_allclose(
            kernel(block), twin(block), rtol=0, atol=close, err_msg=f"{twin} {unlisted}"
        )


@built
@settings(deadline=None, max_examples=heavy(50))
@given(evidences(), st.integers(1, 9), st.sampled_from([0, 2, 30, np.inf]))
def test_kernels_and_twins_agree(evidence: Evidence, cutoff: int, unlisted: float) -> None:
    """Kernel and twin agree to 1e-12, for Q to the last bit, on small, empty and missing lists."""
    for block in evidence.blocks:
        assert_equal(block.truncate(cutoff), unlisted)


@built
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("unlisted", [0, 40, np.inf])
def test_kernels_and_twins_agree_on_long_lists(unlisted: float, dtype: type[np.integer]) -> None:
    """Kernel and twin agree to 1e-12, for Q to the last bit, with codes of one and of two bytes."""
    made = simulate(systems=4, topics=3, depth=120, pool_depth=10, rng=3)
    block = align(made.judgments, made.runs).blocks[0]
    assert_equal(
        Block(codes=block.codes.astype(dtype), scale=block.scale, pool=block.pool), unlisted
    )


@built
@settings(deadline=None, max_examples=heavy(50))
@given(evidences(), st.integers(1, 9), st.floats(0.01, 0.99))
def test_open_weight_is_that_of_the_twin(evidence: Evidence, cutoff: int, p: float) -> None:
    """The kernel adds the weights of ranks without a grade as numpy does, to the last bit."""
    for block in evidence.blocks:
        seen = block.truncate(cutoff)
        weights = p ** np.arange(seen.depth)
        weight = _lists.open_weight(seen, weights)
        assert weight.tolist() == weight_of(seen.ungraded, weights).tolist()


@built
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_open_weight_of_long_lists_is_that_of_the_twin(dtype: type[np.integer]) -> None:
    """Lists of 2,000 documents have the weights of the twin, to the last bit."""
    codes = np.random.default_rng(4).choice([1, 0, -1, -2, -3], size=(5, 3, 2000)).astype(dtype)
    block = Block(codes=codes, scale=np.array([0.0, 1.0]), pool=np.zeros((3, 2), np.int64))
    weights = 1 / np.log2(np.arange(2000) + 2)
    weight = _lists.open_weight(block, weights)
    assert weight.tolist() == weight_of(block.ungraded, weights).tolist()
