"""Agreement of several assessors: what is said first, what a paper prints, and each topic."""

import pytest

from poolwise.collection import Labels, join_labels
from poolwise.findings.labels._agreement_counts import ALPHAS
from poolwise.findings.labels._label_agreement import LabelAgreement, agreement_of
from poolwise.results._layout import render

ASSESSORS = {
    "ann": {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 0, "e": 1}},
    "ben": {"1": {"a": 1, "b": 1, "c": 2}, "2": {"d": 0, "e": 2}},
    "eve": {"1": {"a": 0, "b": 0, "c": 2}, "2": {"d": 1}},
    "joe": {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 0, "e": 1, "f": 0}},
}


def agreed(*, machine: bool, topics: str = "12", names: str = "") -> LabelAgreement:
    """Return how far the assessors agree on some topics."""
    sets = [
        Labels.from_dict(name, {t: grades[t] for t in topics}, machine=machine)
        for name, grades in ASSESSORS.items()
        if name in (names.split() or ASSESSORS)
    ]
    return agreement_of(join_labels(sets))


def test_the_answer_comes_first() -> None:
    """One sentence says how far all agree, and who agrees least and most."""
    said = agreed(machine=False).sentences()[0]
    assert said.startswith("Krippendorff's ordinal α of 4 people is ")
    assert "; κ of a pair goes from " in said


def test_two_people_have_no_pairs_to_range_over() -> None:
    """Their α is all that there is to say."""
    said = agreed(machine=False, names="ann ben").sentences()[0]
    assert "goes from" not in said
    assert said.endswith("(over 2 topics).")


def test_who_gave_labels_does_not_change_how_far_they_agree() -> None:
    """Sets that nobody called people have the same α, under its own name and with a hint."""
    people, sets = agreed(machine=False), agreed(machine=True)
    # As texts: over two topics no interval is known, and what is not a number equals nothing.
    assert str(sets.sets_alpha) == str(people.people_alpha)
    assert (sets.people_alpha, people.sets_alpha) == ({}, {})
    assert [s for s in sets.sentences() if "--people" in s]
    assert not [s for s in people.sentences() if "--people" in s]


@pytest.mark.parametrize("given_by", ["people", "sets"])
def test_alpha_on_a_topic_is_that_of_its_labels_alone(given_by: str) -> None:
    """The table of topics, and the rows for programs, say what the topic alone says."""
    found = agreed(machine=given_by == "sets")
    table, columns = found.topic_table(), found.columns(per_topic=True)
    assert [(row[0], row[1]) for row in table.rows] == [("1", 3), ("2", 2)]
    for topic, _, *values in table.rows:
        # Grades that nobody gave on a topic add nothing to its α.
        alone = agreed(machine=False, topics=str(topic)).people_alpha
        assert values == pytest.approx([alone[kind].value for kind in ALPHAS], nan_ok=True)
        rows = zip(columns["set"], columns["of"], columns["value"], strict=True)
        shown = [value for who, of, value in rows if (who, of) == (given_by, topic)]
        assert shown == pytest.approx(values, nan_ok=True)


def test_papers_get_a_matrix() -> None:
    """κ stands below the diagonal, quadratic κ above; LaTeX has no letter that it cannot set."""
    found = agreed(machine=False)
    matrix = found.tables()[1]
    assert [row[0] for row in matrix.rows] == ["1 ann", "2 ben", "3 eve", "4 joe"]
    for pair in found.pairs:
        i, j = sorted(list(ASSESSORS).index(a.name) for a in (pair.first, pair.second))
        assert matrix.rows[j][i + 1] == pair.kappas["nominal"].value
        assert matrix.rows[i][j + 1] == pair.kappas["quadratic"].value
    shown = [line for t in found.tables() for line in render(t, "latex").splitlines()]
    assert "".join(line for line in shown if not line.startswith("%")).isascii()
