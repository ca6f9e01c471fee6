"""Made-up collections look like real ones, and the truth about them is known."""

import numpy as np
import pytest
from tests.each import over
from tests.whole_arrays import codes_of

from poolwise.collection._pools import nominate, relevance_by_multiplicity
from poolwise.collection._simulation import Simulated, _topic_ids, simulate
from poolwise.errors import OptionError
from poolwise.evidence._evidence import Evidence
from poolwise.evidence._meeting import align


def average_precision(evidence: Evidence) -> np.ndarray:
    """Return AP by its definition, systems × topics."""
    relevant = codes_of(evidence) >= 1
    precision = relevant.cumsum(axis=2) / np.arange(1, evidence.depth + 1)
    return (relevant * precision).sum(axis=2) / evidence.relevant(1)


@pytest.fixture(scope="module", params=[1, 2, 3])
def made(request: pytest.FixtureRequest) -> Simulated:
    return simulate(systems=24, topics=50, depth=200, rng=request.param)


@pytest.fixture(scope="module")
def judged(made: Simulated) -> Evidence:
    return align(made.judgments, made.runs)


@pytest.fixture(scope="module")
def true(made: Simulated, judged: Evidence) -> Evidence:
    return judged.regrade(made.truth)


def test_the_same_seed_makes_the_same_collection() -> None:
    """A collection follows from its seed alone."""
    a, b = (simulate(systems=6, topics=4, depth=30, rng=5) for _ in range(2))
    assert np.array_equal(a.runs.rankings, b.runs.rankings)
    assert list(a.judgments) == list(b.judgments)
    c = simulate(systems=6, topics=4, depth=30, rng=6)
    assert not np.array_equal(a.runs.rankings, c.runs.rankings)


def test_ids_are_in_byte_order_and_distinct(made: Simulated) -> None:
    """The documents of a topic stand in byte order of their ids, none twice."""
    for start, stop in zip(made.truth.starts[:-1], made.truth.starts[1:], strict=True):
        ids = [made.truth.documents[i].encode() for i in range(start, stop)]
        assert ids == sorted(set(ids))
    assert list(made.truth.topics) == sorted(made.truth.topics)


def test_no_list_holds_a_document_twice(made: Simulated) -> None:
    """A ranking is a ranking."""
    lists = np.sort(made.runs.rankings.reshape(-1, 200), axis=1)
    assert (np.diff(lists, axis=1) > 0).all()


def test_every_retrieved_document_has_a_true_grade(true: Evidence) -> None:
    """The truth is complete."""
    assert (codes_of(true) >= 0).all()


def test_the_judgments_are_the_pool(made: Simulated) -> None:
    """Judged is exactly what the pooled systems have in their first ranks, with its true grade."""
    pool = {
        (topic, document)
        for system in made.pooled
        for topic in made.runs.topics
        for document in made.runs.ranking(system, topic)[: made.pool_depth]
    }
    grades = {(t, d): g for t, d, g in made.truth}
    assert {(t, d): g for t, d, g in made.judgments} == {key: grades[key] for key in pool}


def test_topics_have_5_to_350_relevant_documents(true: Evidence) -> None:
    """Topics differ widely in how many relevant documents they have."""
    relevant = true.relevant(1)
    assert relevant.min() >= 5
    assert relevant.max() <= 350
    assert relevant.max() > 5 * np.median(relevant[relevant <= np.median(relevant)])
    assert (true.pool.sum(axis=0) > 0).all()


def test_scores_lie_where_real_ones_do(true: Evidence) -> None:
    """Mean AP spreads over systems within 0.08 to 0.45, and topics differ more than systems."""
    scores = average_precision(true)
    means = scores.mean(axis=1)
    assert 0.08 < means.min() < 0.2 < means.max() < 0.45
    assert scores.mean(axis=0).std() > means.std()


def test_only_unpooled_systems_meet_unjudged_documents_at_the_top(
    made: Simulated, judged: Evidence
) -> None:
    """Pooled systems are fully judged down to the pool's depth; each unpooled one is not."""
    share = (codes_of(judged)[:, :, :10] >= 0).mean(axis=(1, 2))
    pooled = np.isin(made.runs.systems, made.pooled)
    assert (share[pooled] == 1).all()
    assert (share[~pooled] < 1).all()
    assert share[made.runs.systems.index("maverick-1")] < 0.8


def test_the_maverick_is_better_than_it_looks(judged: Evidence, true: Evidence) -> None:
    """By the judgments the lone system stands at least five places below its true place."""
    looks, truth = (
        int((means > means[-1]).sum())
        for means in (average_precision(e).mean(axis=1) for e in (judged, true))
    )
    assert looks - truth >= 5
    assert truth <= 5


def test_systems_of_a_family_resemble_each_other(made: Simulated) -> None:
    """Two systems of one family share more documents than two of different families."""
    tops = [
        [set(made.runs.ranking(s, t)[:20]) for t in made.runs.topics[:10]]
        for s in made.runs.systems[:16]
    ]
    alike: dict[bool, list[int]] = {True: [], False: []}
    for a in range(16):
        for b in range(a):
            shared = sum(len(x & y) for x, y in zip(tops[a], tops[b], strict=True))
            alike[made.groups.labels[a] == made.groups.labels[b]].append(shared)
    assert np.mean(alike[True]) > 1.3 * np.mean(alike[False])


def test_more_votes_mean_more_relevance(made: Simulated) -> None:
    """As in U18 table 4, relevance grows with the number of systems that nominate a document."""
    nominations = nominate(made.truth, made.runs)
    rates = [b.rate for b in relevance_by_multiplicity(nominations, 20) if b.documents]
    assert rates == sorted(rates)
    assert rates[0] < 0.2
    assert rates[-1] > 0.5


@over(
    "options, part",
    [
        ({"systems": 0}, "systems"),
        ({"depth": 0}, "depth"),
        ({"systems": 4, "unpooled": 4}, "unpooled: must be at least 0 and at most 3; got 4"),
        ({"systems": 4, "groups": 4}, "groups"),
        ({"depth": 20, "pool_depth": 21}, "depth"),
    ],
)
def test_impossible_collections_are_refused(options: dict[str, int], part: str) -> None:
    """A wrong number is named, with what it may be."""
    with pytest.raises(OptionError, match=part):
        simulate(**{"systems": 5, "topics": 2, "depth": 20, **options}, rng=1)


def test_one_system_is_possible() -> None:
    """The smallest collection has one system, one topic and one document in its list."""
    made = simulate(systems=1, topics=1, depth=1, rng=0)
    assert made.unpooled == ()
    assert len(made.judgments) == 1


@pytest.mark.parametrize("topics", [1, 599, 600, 1000])
def test_topic_ids_are_in_byte_order(topics: int) -> None:
    """However many topics there are, their order is the byte order of their ids."""
    assert list(_topic_ids(topics)) == sorted(_topic_ids(topics))
