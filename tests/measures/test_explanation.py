"""What a measure says of itself."""

from poolwise import explain
from poolwise.measures import CATALOGUE, DIVERSITY, SAMPLED
from poolwise.measures._explanation import PARAMETERS
from poolwise.workflows import list_measures

EVERY = (*CATALOGUE, *SAMPLED, *DIVERSITY)


def test_every_parameter_is_explained() -> None:
    """Each parameter of each measure has a line, and no line is left over."""
    used = {name for entry in EVERY for name in entry.measure.parameters()}
    assert used == set(PARAMETERS)


def test_parameters_in_force_are_said() -> None:
    """The explanation speaks of the measure as it was named."""
    text = str(explain("ndcg_burges@10"))
    assert text.startswith("nDCG(dcg='exp-log2')@10\n")
    assert "dcg = exp-log2: exponential gain 2^grade − 1" in text
    assert "cutoff = 10" in text
    assert "B23: Fröbe" in text
    assert "ndcg_cut" in text


def test_the_listing_has_every_measure_once() -> None:
    """Columns are of one length, and names are unique."""
    columns = list_measures().columns()
    assert {len(c) for c in columns.values()} == {len(EVERY)}
    assert len(set(columns["measure"])) == len(EVERY)


def test_nothing_is_wider_than_a_terminal() -> None:
    """Explanations fit into 100 columns."""
    for entry in EVERY:
        for name in entry.examples:
            assert max(map(len, str(explain(name)).splitlines())) <= 100, name
