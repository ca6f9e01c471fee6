"""What pools of runs would have had judged, and what they hold."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise.collection._groups import Groups, read_groups
from poolwise.collection._judgments import Judgments
from poolwise.collection._pools import (
    MultiplicityBand,
    MultiplicityRelevance,
    Nominations,
    nominate,
    relevance_by_multiplicity,
    sample_systems,
    thin,
)
from poolwise.collection._runs import Runs
from poolwise.collection.files._readers import read_judgments, read_runs
from poolwise.errors import OptionError

SYSTEMS = ("a", "b", "c", "d")
DOCUMENTS = tuple("pqrstuvw")

rankings = st.permutations(DOCUMENTS).flatmap(
    lambda order: st.integers(0, len(DOCUMENTS)).map(lambda n: list(order)[:n])
)
lists = st.fixed_dictionaries(
    {s: st.dictionaries(st.sampled_from("123"), rankings) for s in SYSTEMS}
)
grades = st.dictionaries(
    st.sampled_from("124"),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([-1, 0, 1, 2]), min_size=1),
    min_size=1,
)
depths = st.integers(1, len(DOCUMENTS))
system_sets = st.sets(st.sampled_from(SYSTEMS), min_size=1)

Lists = dict[str, dict[str, list[str]]]
Grades = dict[str, dict[str, float]]


def top(runs: Lists, systems: set[str], depth: int) -> set[tuple[str, str]]:
    """Return the union of the first documents of some systems, as pairs with the topic."""
    return {(t, d) for s in systems for t in runs[s] for d in runs[s][t][:depth]}


def kept(judgments: Judgments) -> set[tuple[str, str]]:
    return {(t, d) for t, d, _ in judgments}


def nominations(runs: Lists, qrels: Grades) -> Nominations:
    """Look up the ranks; the longest list is as long as the test's depths go."""
    full = {**runs, "full": {"9": list(DOCUMENTS)}}
    return nominate(Judgments.from_dict(qrels), Runs.from_rankings(full))


@given(lists, grades, depths, system_sets)
def test_a_depth_pool_is_the_union_of_the_tops(
    runs: Lists, qrels: Grades, depth: int, systems: set[str]
) -> None:
    """A depth pool keeps the grade of exactly the judged documents in the union of the tops."""
    judgments = Judgments.from_dict(qrels)
    pool = nominations(runs, qrels).depth_pool(depth, systems=systems)
    assert kept(pool) == kept(judgments) & top(runs, systems, depth)
    assert set(pool) <= set(judgments)


@given(lists, grades, depths, system_sets, system_sets)
def test_leaving_out_hides_what_nobody_else_has(
    runs: Lists, qrels: Grades, depth: int, left_out: set[str], systems: set[str]
) -> None:
    """Only what pooled runs among the left-out have in their tops, and no other, is hidden."""
    judgments = Judgments.from_dict(qrels)
    reduced = nominations(runs, qrels).leave_out(left_out, depth=depth, systems=systems)
    unique = top(runs, left_out & systems, depth) - top(runs, systems - left_out, depth)
    assert kept(reduced) == kept(judgments) - unique


@given(lists, grades, depths, system_sets)
def test_multiplicity_counts_the_systems(
    runs: Lists, qrels: Grades, depth: int, systems: set[str]
) -> None:
    """The multiplicity of a document is the number of systems that have it in their top."""
    judgments = Judgments.from_dict(qrels)
    counts = nominations(runs, qrels).multiplicities(depth, systems=systems)
    expected = [
        sum((topic, document) in top(runs, {s}, depth) for s in systems)
        for topic, document, _ in judgments
    ]
    assert counts.tolist() == expected


@given(lists, grades)
def test_the_first_unjudged_rank_is_found_by_walking_down(runs: Lists, qrels: Grades) -> None:
    """It is where the first document without a grade stands, or one past the end of the list."""
    nominated = nominations(runs, qrels)
    for s, system in enumerate(nominated.systems[: len(SYSTEMS)]):
        for t, topic in enumerate(nominated.judgments.topics):
            ranking = runs[system].get(topic, [])
            graded = [qrels[topic].get(d, -1) >= 0 for d in ranking]
            assert nominated.first_unjudged[s, t] == [*graded, False].index(False) + 1


@given(lists, grades, depths)
def test_deeply_judged_runs_are_long_and_judged(runs: Lists, qrels: Grades, depth: int) -> None:
    """A deeply judged run has enough documents on every judged topic, all of them judged."""
    deep = {
        s
        for s in SYSTEMS
        if all(
            len(runs[s].get(t, [])) >= depth
            and all(qrels[t].get(d, -1) >= 0 for d in runs[s][t][:depth])
            for t in qrels
        )
    }
    assert set(nominations(runs, qrels).deeply_judged(depth)) == deep


def test_hidden_judgments_stay_hidden() -> None:
    """A pool cut from a pool is the intersection of both."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y", "z"]}, "b": {"1": ["z", "y"]}})
    qrels = Judgments.from_dict({"1": {"x": 1, "y": 0, "z": 1}})
    again = nominate(nominate(qrels, runs).depth_pool(1), runs)
    assert kept(again.depth_pool(2, systems="b")) == {("1", "z")}
    assert again.first_unjudged.tolist() == [[2], [2]]


def test_long_lists_keep_their_ranks() -> None:
    """Ranks past the range of two bytes are stored whole."""
    runs = Runs.from_rankings({"a": {"1": [f"{i:06}" for i in range(40_000)]}})
    nominated = nominate(Judgments.from_dict({"1": {"039999": 1}}), runs)
    assert nominated.ranks.tolist() == [[40_000]]
    assert len(nominated.depth_pool(39_999)) == 0


@given(grades, st.floats(0.01, 1), st.floats(0.01, 1), st.integers(0, 9))
def test_thinning_keeps_a_share_of_each_topic(
    qrels: Grades, one: float, other: float, seed: int
) -> None:
    """Each topic keeps its share, rounded up, and a smaller share is part of a larger one."""
    judgments = Judgments.from_dict(qrels)
    fewer, more = (thin(judgments, rate, rng=seed) for rate in sorted((one, other)))
    assert kept(fewer) <= kept(more)
    for topic, graded in qrels.items():
        left = [d for t, d, _ in fewer if t == topic]
        assert len(left) == np.ceil(round(min(one, other) * len(graded), 6))


def test_thinning_draws_every_document_alike() -> None:
    """Over many draws each judgment of a topic is kept equally often, hidden ones never."""
    judgments = Judgments.from_dict({"1": dict.fromkeys("abcde", 1), "2": {"f": 0}})
    hidden = judgments.keep([True, True, True, True, False, True])
    counts = sum(thin(hidden, 0.5, rng=seed).judged.astype(int) for seed in range(1000))
    # Each of four is kept with probability 1/2: within four standard deviations of 500.
    assert np.abs(counts[:4] - 500).max() < 4 * np.sqrt(250)
    assert counts[4:].tolist() == [0, 1000]


def test_sampling_groups_takes_all_their_runs() -> None:
    """A sample by groups holds whole groups, a sample by runs the number asked for."""
    groups = Groups.from_dict({"a": "x", "b": "y", "c": "x", "d": "z"})
    for seed in range(10):
        chosen = sample_systems([*"abcd"], 2, groups=groups, rng=seed)
        names = {groups.of(s) for s in chosen}
        assert len(names) == 2
        assert set(chosen) == {s for g in names for s in groups.members(g)}
        assert len(sample_systems([*"abcd"], 3, rng=seed)) == 3
    assert sample_systems([*"abcd"], 3, rng=1) == sample_systems([*"abcd"], 3, rng=1)


def test_wrong_options_are_named() -> None:
    """Depths, rates, widths and names outside what they may be are refused with the limit."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}})
    nominated = nominate(Judgments.from_dict({"1": {"x": 1}}), runs)
    for call, message in [
        (lambda: nominated.depth_pool(3), "depth: .* got 3. Hint: use a depth of at most 2"),
        (lambda: nominated.leave_out("a", depth=0), "depth: .* got 0"),
        (lambda: nominated.depth_pool(1, systems=["a", "z"]), "systems: 'z' is not known"),
        (lambda: nominated.leave_out("z", depth=1), "systems: 'z' is not known"),
        (lambda: thin(nominated.judgments, 0, rng=1), "rate: .* got 0"),
        (lambda: thin(nominated.judgments, 1.5, rng=1), "rate: .* got 1.5"),
        (lambda: sample_systems([*"ab"], 3, rng=1), "width: .* the 2 there are; got 3"),
    ]:
        with pytest.raises(OptionError, match=message):
            call()


@pytest.fixture(scope="module")
def trec8(data_dir: Path) -> Nominations:
    """Return TREC-8 with ties by rank, as U18 §3.1 orders runs."""
    runs = read_runs(data_dir / "trec8" / "runs", ties="rank")
    return nominate(read_judgments(data_dir / "trec8" / "qrels.gz"), runs)


def total(bands: tuple[MultiplicityBand, ...]) -> tuple[int, int]:
    return sum(b.documents for b in bands), sum(b.relevant for b in bands)


def test_u18_table_1(trec8: Nominations) -> None:
    """67 systems are deeply judged, and the first unjudged document stands at 95.8 on average."""
    assert len(trec8.deeply_judged(50)) == 67
    assert round(float(trec8.first_unjudged.mean()), 1) == 95.8


def test_u18_table_3(trec8: Nominations) -> None:
    """The depth-50 pool of the deeply judged runs, and its single-vote documents, are U18's."""
    deep = trec8.deeply_judged(50)
    bands = relevance_by_multiplicity(trec8, 50, systems=deep)
    assert total(bands) == (40_238, 3175)
    assert bands[0][2:] == (24_149, 731)
    assert len(trec8.depth_pool(50, systems=deep)) == 40_238


def test_u18_table_4(trec8: Nominations) -> None:
    """Counts and percentages by multiplicity at depth 20 are U18's, digit for digit."""
    bands = relevance_by_multiplicity(trec8, 20, systems=trec8.deeply_judged(50))
    assert [(b.label, b.documents, round(100 * b.rate, 1)) for b in bands] == [
        ("1", 10_266, 5.3),
        ("2", 2538, 11.7),
        ("3–4", 1548, 16.3),
        ("5–8", 1017, 26.6),
        ("9–16", 732, 34.0),
        ("17–32", 544, 43.6),
        ("33+", 416, 61.3),
    ]
    documents, relevant = total(bands)
    assert (documents, round(100 * relevant / documents, 1)) == (17_061, 12.3)


def test_the_official_pool_is_found_again(data_dir: Path) -> None:
    """The depth-100 pool of the 71 pooled runs, in trec_eval's order, is exactly the qrels."""
    table = (data_dir / "trec8" / "runs.tsv").read_text().splitlines()[1:]
    pooled = [line.split("\t")[0] for line in table if line.endswith("yes")]
    runs = read_runs(data_dir / "trec8" / "runs").select(pooled)
    official = read_judgments(data_dir / "trec8" / "qrels.gz")
    nominated = nominate(official, runs)
    assert len(pooled) == 71
    assert len(nominated.depth_pool(100)) == len(official) == 86_830
    assert nominated.first_unjudged[runs.lengths >= 100].min() > 100


def test_the_41_groups_of_trec8_are_read(data_dir: Path, trec8: Nominations) -> None:
    """Every run has a group, and a group's own documents are what its leaving hides."""
    groups = read_groups(data_dir / "trec8" / "runs.tsv").select(trec8.systems)
    assert len(groups.names) == 41
    left = trec8.leave_out(groups.members("ge"), depth=100)
    others = [s for s in trec8.systems if groups.of(s) != "ge"]
    assert 0 < len(left) < len(trec8.judgments)
    assert len(trec8.depth_pool(100, systems=others)) <= len(left)


def test_an_empty_band_has_no_rate() -> None:
    """Nothing over nothing is undefined, not 0."""
    assert np.isnan(MultiplicityBand(1, 1, 0, 0).rate)


def test_a_grade_below_0_is_no_judgment() -> None:
    """A document that was pooled and not judged adds to no count."""
    runs = Runs.from_rankings({"a": {"1": ["p", "q"]}})
    nominated = nominate(Judgments.from_dict({"1": {"p": -1, "q": 0}}), runs)
    assert total(relevance_by_multiplicity(nominated, 2)) == (1, 0)


def test_the_last_band_is_open() -> None:
    """A document that more systems nominate than any band starts with is in the last one."""
    runs = Runs.from_rankings({f"s{i}": {"1": ["p", "q"] if i else ["p"]} for i in range(40)})
    nominated = nominate(Judgments.from_dict({"1": {"p": 1, "q": 0, "r": 1}}), runs)
    bands = relevance_by_multiplicity(nominated, 2)
    assert [(b.low, b.high) for b in bands][-2:] == [(17, 32), (33, None)]
    assert (bands[-1].documents, bands[-1].relevant, len(bands)) == (2, 1, 7)
    fewer = relevance_by_multiplicity(nominated, 2, bands=(1, 40))
    assert [(b.low, b.high, b.documents) for b in fewer] == [(1, 39, 1), (40, None, 1)]


def test_what_votes_say_of_relevance() -> None:
    """The sentence compares the fewest with the most votes, by the rates of the bands."""
    relevance = MultiplicityRelevance(
        (
            MultiplicityBand(1, 1, 40, 4),
            MultiplicityBand(2, 4, 10, 3),
            MultiplicityBand(5, None, 0, 0),
        )
    )
    rates, total = relevance.sentences()
    assert rates.startswith("10.0% of the documents that 1 system nominates are relevant")
    assert rates.endswith("and 30.0% of those that 2 to 4 systems nominate.")
    assert total == "The bands hold 50 judged documents, of which 7 are relevant."
    assert relevance.columns()["high"] == [1, 4, None]
