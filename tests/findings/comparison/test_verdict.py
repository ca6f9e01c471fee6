"""A verdict says what no assignment of grades can change, and what the fewest judgments could."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align
from poolwise.findings.comparison._differences import all_differences, difference_bounds
from poolwise.findings.comparison._verdict import verdict

Lists = dict[str, list[str]]
Grades = dict[tuple[str, str], int]
TOPICS = ("1", "2")


def collection(a: Lists, b: Lists, judged: Grades) -> Evidence:
    # The third topic keeps the scale of grades the same.
    by_topic: dict[str, dict[str, float]] = {"1": {}, "2": {}, "3": {"x": 0, "y": 1}}
    for (topic, document), grade in judged.items():
        by_topic[topic][document] = grade
    both = {"3": ["x"]}
    return align(Judgments.from_dict(by_topic), Runs.from_rankings({"a": a | both, "b": b | both}))


documents = st.lists(st.sampled_from("pqrs"), unique=True, min_size=1, max_size=3)
lists = st.fixed_dictionaries(dict.fromkeys(TOPICS, documents))
judgments = st.dictionaries(
    st.tuples(st.sampled_from(TOPICS), st.sampled_from("pqrs")), st.integers(0, 1), max_size=7
).filter(lambda grades: len(grades) >= 4)


def settled_by(a: Lists, b: Lists, judged: Grades, measure: str, number: int) -> bool:
    """Return whether some judgments of so many documents make the order certain."""
    open_documents = {
        (t, d) for run in (a, b) for t in TOPICS for d in run[t] if (t, d) not in judged
    }
    return any(
        difference_bounds(
            collection(a, b, judged | dict(zip(chosen, grades, strict=True))), measure, "a", "b"
        ).settled.item()
        for chosen in combinations(sorted(open_documents), number)
        for grades in product((0, 1), repeat=number)
    )


@settings(max_examples=20, deadline=None)
@given(a=lists, b=lists, judged=judgments, measure=st.sampled_from(["P@2", "RBP(p=0.6)@3"]))
def test_fewest_judgments(a: Lists, b: Lists, judged: Grades, measure: str) -> None:
    """The fewest judgments can settle the order, and one judgment less cannot."""
    outcome = verdict(collection(a, b, judged), measure, "a", "b")
    assert outcome.fewest is not None
    assert outcome.settled == (outcome.fewest == 0)
    assert settled_by(a, b, judged, measure, outcome.fewest)
    if outcome.fewest:
        assert not settled_by(a, b, judged, measure, outcome.fewest - 1)


@settings(max_examples=30, deadline=None)
@given(a=lists, b=lists, judged=judgments)
@example(
    a={"1": ["p", "q"], "2": ["p"]},
    b={"1": ["p", "r"], "2": ["p"]},
    judged={("1", "p"): 1},
)
def test_open_documents_are_those_that_move_the_difference(
    a: Lists, b: Lists, judged: Grades
) -> None:
    """They are the unjudged documents of the two lists, each with the difference of its weights."""
    outcome = verdict(collection(a, b, judged), "RBP(p=0.5)@3", "a", "b")

    def weight(run: Lists, topic: str, document: str) -> float:
        return 0.5 ** (run[topic].index(document) + 1) if document in run[topic] else 0.0

    moving = {
        (t, d): swing / 3  # topics
        for t in TOPICS
        for d in {*a[t], *b[t]}
        if (t, d) not in judged and (swing := weight(a, t, d) - weight(b, t, d))
    }
    assert outcome.documents is not None
    assert {
        (document.topic, document.document): document.swing for document in outcome.documents
    } == pytest.approx(moving)


def test_documents_to_judge_settle_the_order() -> None:
    """Judging the named documents in favour of the first run puts it ahead for certain."""
    a, b = {"1": ["p", "q"], "2": ["r", "s"]}, {"1": ["s", "r"], "2": ["q", "r"]}
    judged = {("1", "p"): 1}
    outcome = verdict(collection(a, b, judged), "RBP(p=0.6)@2", "a", "b")
    assert not outcome.settled
    assert outcome.documents is not None
    assert outcome.for_first is not None
    favour = {
        (d.topic, d.document): int(d.swing > 0) for d in outcome.documents[: outcome.for_first]
    }
    after = verdict(collection(a, b, judged | favour), "RBP(p=0.6)@2", "a", "b")
    assert after.settled
    assert after.value > 0


def test_tails_are_no_part_of_a_verdict() -> None:
    """Past the ends of the lists no document is known, so an order of judged ones is certain."""
    judged = {("1", "p"): 1, ("1", "q"): 0, ("2", "r"): 0}
    evidence = collection({"1": ["p"], "2": ["r"]}, {"1": ["q"], "2": ["r"]}, judged)
    outcome = verdict(evidence, "RBP(p=0.95)", "a", "b")
    assert outcome.difference.verdict.item() == "a certain"
    assert outcome.lower == outcome.upper == outcome.value


def test_not_a_sum_over_documents() -> None:
    """For a recall-based measure the judgments needed are not counted, and the text says so."""
    a, b = {"1": ["p", "q"], "2": ["r"]}, {"1": ["q", "p"], "2": ["s"]}
    outcome = verdict(collection(a, b, {("1", "p"): 1, ("2", "q"): 1}), "nDCG@2", "a", "b")
    assert not outcome.settled
    assert (outcome.documents, outcome.fewest) == (None, None)
    assert "is not known by" in str(outcome)


def test_shared_documents_move_nothing() -> None:
    """An unjudged document that both runs have at the same rank leaves the order certain."""
    a, b = {"1": ["p", "q"], "2": ["r"]}, {"1": ["s", "q"], "2": ["r"]}
    evidence = collection(a, b, {("1", "p"): 1, ("1", "s"): 0})
    ranges = difference_bounds(evidence, "P@2", "a", "b")
    assert ranges.certain.all()
    np.testing.assert_allclose(ranges.lower, ranges.upper)


def test_both_ways() -> None:
    """The range of b − a is that of a − b, turned round."""
    rng = np.random.default_rng(3)
    lists = [{t: [f"d{i}" for i in rng.permutation(12)[:8]] for t in TOPICS} for _ in "ab"]
    judged = {(t, f"d{i}"): int(rng.integers(0, 2)) for t in TOPICS for i in range(0, 12, 2)}
    evidence = collection(*lists, judged)
    for name in ("P@5", "nDCG", "AP", "AP@5", "Rprec", "R@5", "RR"):
        forth, back = (difference_bounds(evidence, name, *pair) for pair in ("ab", "ba"))
        np.testing.assert_allclose(forth.lower, 0 - back.upper, atol=1e-12)
        np.testing.assert_allclose(forth.upper, 0 - back.lower, atol=1e-12)


def test_all_pairs_are_each_pair() -> None:
    """The ranges of all pairs at once are those of each pair alone."""
    rng = np.random.default_rng(4)
    runs = Runs.from_rankings(
        {s: {"1": [f"d{i}" for i in rng.permutation(15)[: rng.integers(3, 15)]]} for s in "abcd"}
    )
    evidence = align(Judgments.from_dict({"1": {f"d{i}": i % 3 for i in range(0, 15, 2)}}), runs)
    for name in ("DCG@5", "nDCG@5", "enDCG@3", "AP", "aAP@4", "Rprec", "ERR@5"):
        together = all_differences(evidence, name)
        assert len(together) == 6
        for i, pair in enumerate(zip(together.first, together.second, strict=True)):
            alone = difference_bounds(evidence, name, *pair)
            ends = together.lower[i, 0], together.upper[i, 0]
            assert ends == pytest.approx((alone.lower.item(), alone.upper.item()), abs=1e-12)


def test_unknown_system() -> None:
    """A system that is not there is named, with those that are."""
    evidence = Evidence.from_grades([[1], [0]])
    with pytest.raises(OptionError, match=r"'bm25' is not known.*run1, run2"):
        difference_bounds(evidence, "P@1", "run1", "bm25")


def test_measure_without_difference_bounds() -> None:
    """A measure for which no range of a difference is known says so, and gives none."""
    ranges = difference_bounds(Evidence.from_grades([[1], [0]]), "Bpref", "run1", "run2")
    assert ranges.kind == "none"
    assert np.isnan(ranges.lower).all()


def test_the_sentences_have_the_numbers_of_the_columns() -> None:
    """Difference, range and fewest judgments are said as the columns hold them."""
    a, b = {"1": ["p", "q"], "2": ["r", "s"]}, {"1": ["s", "r"], "2": ["q", "r"]}
    evidence = collection(a, b, {("1", "p"): 1})
    for names in ("ab", "ba"):
        outcome = verdict(evidence, "RBP(p=0.6)@2", *names)
        row = {name: cells[0] for name, cells in outcome.columns().items()}
        sign = 1 if names == "ab" else -1
        ends = sorted((sign * row["bound_low"], sign * row["bound_high"]))
        said, remedy = outcome.sentences()
        assert f"a is ahead of b by {sign * row['difference']:.4f} in RBP(p=0.6)@2" in said
        assert f"leave {ends[0]:.4f} to {ends[1]:.4f} and could".replace("-", "−") in said
        assert f"at least {row['fewest']} of {row['open_documents']} unjudged documents" in remedy
        assert row["verdict"] == "open"


def test_means_of_the_columns_are_the_range_of_the_mean() -> None:
    """The rows of a pair, one per topic, average to its mean difference and range."""
    a, b = {"1": ["p", "q"], "2": ["r", "s"]}, {"1": ["s", "r"], "2": ["q", "r"]}
    ranges = difference_bounds(collection(a, b, {("1", "p"): 1}), "P@2", "a", "b")
    columns = ranges.columns()
    assert columns["topic"] == ["1", "2", "3"]
    assert (set(columns["a"]), set(columns["b"])) == ({"a"}, {"b"})
    for name, mean in zip(("difference", "bound_low", "bound_high"), ranges.means(), strict=True):
        assert np.mean(columns[name]) == pytest.approx(mean.item())


def test_many_pairs_are_counted_in_words() -> None:
    """Of many pairs the first sentence says how many orders are certain."""
    three = all_differences(Evidence.from_grades([[1, 0], [0, None], [None, None]]), "P@2")
    assert three.verdict.tolist() == ["a never behind", "open", "open"]
    assert [row[-1] for row in three.tables()[0].rows] == three.verdict.tolist()
    four = all_differences(Evidence.from_grades([[1, 0], [0, None], [None, None], [0, 0]]), "P@2")
    certain = int(four.certain.sum())
    assert f"the order of {certain} of 6 pairs is certain" in four.sentences()[0]


def test_an_unknown_range_says_why() -> None:
    """A measure without a range of differences has the verdict unknown, and no remedy."""
    outcome = verdict(Evidence.from_grades([[1], [0]]), "Bpref", "run1", "run2")
    assert outcome.columns()["verdict"] == ["unknown"]
    (said,) = outcome.sentences()
    assert said.endswith("complete judgments could give.")
