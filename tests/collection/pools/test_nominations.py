"""Pools are what the sets of their definitions say, and never renumber anything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise.collection.groups import Groups
from poolwise.collection.judgments import Judgments
from poolwise.collection.pools.nominations import Nominations, nominate, sample_systems, thin
from poolwise.collection.runs import Runs
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
    found = nominations(runs, qrels)
    for s, system in enumerate(found.systems[: len(SYSTEMS)]):
        for t, topic in enumerate(found.judgments.topics):
            ranking = runs[system].get(topic, [])
            graded = [qrels[topic].get(d, -1) >= 0 for d in ranking]
            assert found.first_unjudged[s, t] == [*graded, False].index(False) + 1


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
    found = nominate(Judgments.from_dict({"1": {"039999": 1}}), runs)
    assert found.ranks.tolist() == [[40_000]]
    assert len(found.depth_pool(39_999)) == 0


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
        chosen = sample_systems("abcd", 2, groups=groups, rng=seed)
        names = {groups.of(s) for s in chosen}
        assert len(names) == 2
        assert set(chosen) == {s for g in names for s in groups.members(g)}
        assert len(sample_systems("abcd", 3, rng=seed)) == 3
    assert sample_systems("abcd", 3, rng=1) == sample_systems("abcd", 3, rng=1)


def test_wrong_options_are_named() -> None:
    """Depths, rates, widths and names outside what they may be are refused with the limit."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}})
    found = nominate(Judgments.from_dict({"1": {"x": 1}}), runs)
    for call, message in [
        (lambda: found.depth_pool(3), "depth: .* got 3. Hint: use a depth of at most 2"),
        (lambda: found.leave_out("a", depth=0), "depth: .* got 0"),
        (lambda: found.depth_pool(1, systems=["a", "z"]), "systems: 'z' is not known"),
        (lambda: found.leave_out("z", depth=1), "systems: 'z' is not known"),
        (lambda: thin(found.judgments, 0, rng=1), "rate: .* got 0"),
        (lambda: thin(found.judgments, 1.5, rng=1), "rate: .* got 1.5"),
        (lambda: sample_systems("ab", 3, rng=1), "width: .* the 2 there are; got 3"),
    ]:
        with pytest.raises(OptionError, match=message):
            call()
