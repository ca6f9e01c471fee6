"""What must be true of every measure that needs a sample."""

import pickle

import pytest
from tests.examples import example

from poolwise import Measure, MeasureError, explain, parse_measure, score
from poolwise.measures import SAMPLED

NAMES = [name for entry in SAMPLED for name in entry.examples]
MEASURES = [parse_measure(name) for name in NAMES]
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=repr)


def test_examples_are_canonical() -> None:
    """Every example is written as it will be printed."""
    assert [repr(m) for m in MEASURES] == NAMES


@every_measure
def test_a_measure_is_a_value_that_explains_itself(measure: Measure) -> None:
    """A measure equals its like, also after a trip to another process, and says what it is."""
    assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301  (our own bytes)
    assert hash(parse_measure(repr(measure))) == hash(measure)
    assert {"Definition", "Unjudged", "Source"} <= set(explain(measure).parts)


@every_measure
def test_judgments_that_are_no_sample_are_refused(measure: Measure) -> None:
    """Without strata or probabilities there is nothing to estimate from, and a hint says so."""
    with pytest.raises(MeasureError, match=r"it needs judgments that .* Hint: read qrels of five"):
        score(example("all judged"), measure)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("HT(AP)", r"HT: it is for measures whose weights depend on the rank alone; got AP\."),
        ("HT(P)", "P: it needs a cut-off"),
        ("xinfAP(variant='2012')", "variant is one of nist2011, trecvid"),
        ("iIPrec@0.55", "recall is a tenth from 0 to 1"),
        ("iP", "it needs a cut-off"),
        ("statAP(rel=0)", "rel is a grade above 0"),
    ],
)
def test_parameters_outside_their_range_are_refused(name: str, rule: str) -> None:
    """An error names the measure, the rule and the value."""
    with pytest.raises(MeasureError, match=rule):
        parse_measure(name)
