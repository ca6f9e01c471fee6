"""Measures of the judged documents."""

import numpy as np
import pytest
from tests.examples import example

from poolwise import Bpref, Evidence, Judged, Unjudged, infAP


def test_bpref_passes_over_the_unjudged() -> None:
    """Unjudged documents above a relevant one cost nothing, judged ones do."""
    judged = Evidence.from_grades([[0, 1, 1]], judged=[0, 0, 1, 1])
    unknown = Evidence.from_grades([[None, 0, None, 1, 1]], judged=[0, 0, 1, 1])
    assert Bpref.score(judged).item() == Bpref.score(unknown).item() == pytest.approx(0.5)


def test_bpref_with_no_judged_nonrelevant_documents() -> None:
    """Where nothing was judged non-relevant, every preference is kept."""
    assert Bpref.score(Evidence.from_grades([[None, 1]], judged=[1])).item() == 1


def test_inferred_ap_trusts_the_pool() -> None:
    """A pooled document counts as those judged above it do; one outside the pool as nothing."""
    e = 1e-5
    evidence = example("pooled, not judged")  # pooled, relevant, unjudged, not, relevant; R = 2
    first = (1 + 1 * e / (2 * e)) / 2
    second = (1 + 3 * (1 + e) / (2 + 2 * e)) / 5
    assert infAP.score(evidence).item() == pytest.approx((first + second) / 2, abs=1e-12)


def test_judged_is_a_share_of_what_was_retrieved() -> None:
    """Short lists are taken at their own length, and pooled documents are not judged."""
    evidence = example("pooled, not judged")
    assert (Judged @ 2).score(evidence).item() == 0.5
    assert (Judged @ 10).score(evidence).item() == pytest.approx(3 / 5)
    assert (Unjudged @ 10).score(evidence).item() == pytest.approx(2 / 5)


def test_nothing_retrieved_has_no_share() -> None:
    """An empty list has neither judged nor unjudged documents."""
    assert np.isnan((Judged @ 10).score(example("an empty list"))).all()
