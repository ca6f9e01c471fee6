"""What a measure needs before it scores."""

from dataclasses import FrozenInstanceError

import pytest
from tests.examples import example

from poolwise import AP, RBP, Evidence, P, nDCG
from poolwise.errors import MeasureError
from poolwise.measures._derived import External


def test_a_measure_without_its_cutoff_does_not_score() -> None:
    """P is a template until it has a cut-off."""
    with pytest.raises(MeasureError, match="it needs a cut-off"):
        P.score(example("all judged"))


def test_calling_changes_a_copy() -> None:
    """A call returns another measure and leaves the first as it was."""
    changed = AP(rel=2) @ 100
    assert repr(changed) == "AP(rel=2)@100"
    assert repr(AP) == "AP"
    assert changed(rel=1, cutoff=None) == AP


def test_equal_parameters_make_equal_measures() -> None:
    """Measures are equal, and hash alike, by their parameters."""
    assert {nDCG @ 10, nDCG @ 10, nDCG @ 20} == {nDCG @ 10, nDCG @ 20}
    assert RBP(p=0.8) == RBP
    assert AP(rel=2) == AP(rel=2.0)
    assert P @ 10 != P @ 5


def test_parameters_come_in_the_order_of_the_name() -> None:
    """The cut-off comes last, as in the name."""
    assert list((RBP @ 10).parameters()) == ["p", "rel", "gain", "cutoff"]


def test_an_unknown_parameter_is_an_error() -> None:
    """The error lists the parameters that there are."""
    with pytest.raises(MeasureError, match="use dcg, base, cutoff"):
        nDCG(gains={1: 3})


def test_a_measure_does_not_change() -> None:
    """Its parameters can be neither set nor deleted."""
    with pytest.raises(FrozenInstanceError, match="cannot assign to 'p'"):
        RBP.p = 0.5
    with pytest.raises(FrozenInstanceError, match="cannot delete 'p'"):
        del RBP.p
    assert RBP.p == 0.8


def test_scores_of_others_cannot_be_computed() -> None:
    """A measure that stands for scores made elsewhere says so, and computes none."""
    with pytest.raises(MeasureError, match="user satisfaction: these scores were not computed"):
        External(label="user satisfaction").score(Evidence.from_grades([[1, 0]]))
