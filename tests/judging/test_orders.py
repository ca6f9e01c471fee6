"""Orders of judging are what their papers describe, step by step."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.each import over

from poolwise import Judgments, Runs, simulate
from poolwise.judging._candidates import ABSENT, Candidates, gather_candidates
from poolwise.judging.orders._by_document import ExpectedNarrowing
from poolwise.judging.orders._by_run import RidgeMean
from poolwise.judging.orders._catalogue import ORDERS
from poolwise.judging.orders._order import proposals, replay

_MADE = simulate(systems=9, topics=4, depth=60, rng=3)
_COMPLETE = gather_candidates(_MADE.truth, _MADE.runs, depth=40)


def orders_of(name: str, candidates: Candidates, **options: int) -> list[list[int]]:
    """Return the documents of each topic in the order in which they are judged."""
    orders: list[list[int]] = [[] for _ in candidates.topics]
    for step in replay(ORDERS[name](candidates), **options):
        orders[step.topic].append(step.document)
    return orders


def plain_depth(ranks: np.ndarray, relevant: np.ndarray) -> list[int]:
    """Judge rank by rank, and within a rank run by run."""
    del relevant
    order: list[int] = []
    for rank in range(1, 10_000):
        for run in ranks:
            order += [d for d in np.flatnonzero(run == rank).tolist() if d not in order]
        if len(order) == ranks.shape[1]:
            return order
    return order


def plain_move_to_front(ranks: np.ndarray, relevant: np.ndarray) -> list[int]:
    """Cormack et al. 1998, with the run that was read last going on where priorities tie."""
    lists = [[d for d in np.argsort(run, kind="stable") if run[d] < ABSENT] for run in ranks]
    priority, run, order = [0] * len(lists), 0, []
    while len(order) < ranks.shape[1]:
        left = [[d for d in documents if d not in order] for documents in lists]
        best = max(p for p, documents in zip(priority, left, strict=True) if documents)
        if not left[run] or priority[run] < best:
            run = next(s for s, p in enumerate(priority) if p == best and left[s])
        order.append(int(left[run][0]))
        priority[run] = 0 if relevant[order[-1]] else priority[run] - 1
    return order


def plain_max_mean(ranks: np.ndarray, relevant: np.ndarray) -> list[int]:
    """Losada et al. 2016, every run that holds the document renewed."""
    order: list[int] = []
    while len(order) < ranks.shape[1]:
        judged = np.isin(np.arange(ranks.shape[1]), order)
        held = ranks < ABSENT
        good = 1 + (held & judged & relevant).sum(axis=1)
        bad = 1 + (held & judged & ~relevant).sum(axis=1)
        left = (held & ~judged).any(axis=1)
        run = int(np.where(left, good / (good + bad), -1).argmax())
        order.append(int(np.where(judged, ABSENT, ranks[run]).argmin()))
    return order


def plain_rbp(kind: str) -> object:
    """Moffat et al. 2007, methods A, B and C."""

    def order_of(ranks: np.ndarray, relevant: np.ndarray) -> list[int]:
        weight = np.where(ranks < ABSENT, 0.05 * 0.95 ** (ranks.astype(float) - 1), 0)
        order: list[int] = []
        while len(order) < ranks.shape[1]:
            base = weight[:, order] @ relevant[order]
            residual = 1 - weight[:, order].sum(axis=1)
            worth = {"A": 1.0, "B": residual, "C": (base + residual / 2) ** 3 * residual}[kind]
            total = (np.broadcast_to(worth, base.shape)[:, None] * weight).sum(axis=0)
            total[order] = -1
            order.append(int((total >= total.max() * (1 - 1e-12)).argmax()))
        return order

    return order_of


def plain_mtc(ranks: np.ndarray, relevant: np.ndarray) -> list[int]:
    """Carterette et al. 2006 by the differences of R × AP, over all pairs of runs."""
    runs, documents = ranks.shape

    def summed_precision(rank: np.ndarray, hits: set[int]) -> float:
        places = sorted(rank[d] for d in hits if rank[d] < ABSENT)
        return sum((i + 1) / place for i, place in enumerate(places))

    order: list[int] = []
    while len(order) < documents:
        hits = {d for d in order if relevant[d]}
        added = np.array(
            [
                [summed_precision(r, hits | {d}) - summed_precision(r, hits) for r in ranks]
                for d in range(documents)
            ]
        )
        pairs = [(a, b) for a in range(runs) for b in range(a)]
        total = sum(np.abs(added[:, a] - added[:, b]) for a, b in pairs)
        total[order] = -1
        order.append(int((total >= total.max() * (1 - 1e-12)).argmax()))
    return order


PLAIN = {
    "depth": plain_depth,
    "move-to-front": plain_move_to_front,
    "max-mean": plain_max_mean,
    "rbp-residual": plain_rbp("A"),
    "rbp-even": plain_rbp("B"),
    "rbp-leaders": plain_rbp("C"),
}


def test_minimal_test_collections_set_runs_apart_by_average_precision() -> None:
    """Each step judges what moves the differences most, worked out anew from rank to rank."""
    small = simulate(systems=4, topics=2, depth=12, rng=4)
    complete = gather_candidates(small.truth, small.runs, depth=10)
    for t, (topic, order) in enumerate(zip(complete, orders_of("mtc", complete), strict=True)):
        assert order == plain_mtc(topic.ranks, complete.relevant(t))


@pytest.mark.parametrize("name", PLAIN)
def test_an_order_is_that_of_its_paper(name: str) -> None:
    """Each step judges what the description says, worked out anew from all grades so far."""
    orders = orders_of(name, _COMPLETE)
    for t, topic in enumerate(_COMPLETE):
        assert orders[t] == PLAIN[name](topic.ranks, _COMPLETE.relevant(t))


@over("name", ORDERS)
def test_every_document_is_judged_once(name: str) -> None:
    """An order goes through all candidates of every topic, each of them once, in batches too."""
    for batch in (1, 7):
        for topic, order in zip(_COMPLETE, orders_of(name, _COMPLETE, batch=batch), strict=True):
            assert sorted(order) == list(range(len(topic)))


@over("name", ORDERS)
def test_an_order_does_not_depend_on_the_order_of_runs(name: str) -> None:
    """Runs read from files in another order are judged in the same order."""
    turned = _MADE.runs.select(_MADE.runs.systems[::-1])
    again = gather_candidates(_MADE.truth, turned, depth=40)
    assert orders_of(name, again) == orders_of(name, _COMPLETE)


@over("name", sorted(set(ORDERS) - {"depth", "rbp-residual"}))
def test_orders_that_learn_find_relevant_documents_sooner(name: str) -> None:
    """Half of the way down, more relevant documents are found than by judging the other half."""
    for t, order in enumerate(orders_of(name, _COMPLETE)):
        relevant = _COMPLETE.relevant(t)[order]
        half = len(order) // 2
        assert relevant[:half].sum() > relevant[half:].sum()


@over("name", ORDERS)
def test_judging_goes_on_from_the_judgments_alone(name: str) -> None:
    """With some grades known, exactly the others are proposed, and again the same ones."""
    judged = _MADE.truth.keep(np.arange(len(_MADE.truth.codes)) % 3 == 0)
    some = gather_candidates(judged, _MADE.runs, depth=40)
    steps = list(proposals(ORDERS[name](some)))
    assert steps == list(proposals(ORDERS[name](some)))
    for t, topic in enumerate(some):
        proposed = sorted(step.document for step in steps if step.topic == t)
        assert proposed == np.flatnonzero(~topic.graded).tolist()


_BY_GRADES_ALONE = ("max-mean", "hedge", "depth", "rbp-residual", "rbp-even", "rbp-leaders")
"""Orders that look at the grades at every step; blend looks at other topics now and then."""


@pytest.mark.parametrize("name", _BY_GRADES_ALONE)
def test_one_more_grade_at_a_time_gives_the_order_of_the_replay(name: str) -> None:
    """Asking for one document per topic, grading it and asking again is what a replay does."""
    wanted = orders_of(name, _COMPLETE)
    judged = np.zeros(len(_MADE.truth.codes), np.bool_)
    for step in range(5):
        asked = gather_candidates(_MADE.truth.keep(judged), _MADE.runs, depth=40)
        first = list(proposals(ORDERS[name](asked)))[: len(asked)]
        assert [s.document for s in first] == [order[step] for order in wanted]
        for t, document in ((s.topic, s.document) for s in first):
            judged |= _row_of(asked.topics[t].topic, asked.topics[t].documents[document])


def _row_of(topic: str, document: str) -> np.ndarray:
    truth = _MADE.truth
    in_topic = np.array(truth.topics)[truth.topic_of_row] == topic
    return in_topic & (np.array(list(truth.documents)) == document)


def test_a_regression_may_learn_at_once_or_bit_by_bit() -> None:
    """Many observations at once, more than there are runs, give what they give one by one."""
    rng = np.random.default_rng(1)
    rows, outcomes = rng.random((30, 4)), rng.random(30) < 0.4
    at_once, by_one = RidgeMean(4), RidgeMean(4)
    at_once.learn(rows, outcomes)
    for i in range(30):
        by_one.learn(rows[i : i + 1], outcomes[i : i + 1])
    assert at_once.mean == pytest.approx(by_one.mean, abs=1e-10)


def test_a_joint_order_takes_the_heaviest_document_of_all_topics() -> None:
    """Weights fall over the whole list, not topic by topic."""
    order = ORDERS["rbp-leaders"](_COMPLETE_WITHOUT_GRADES, joint=True)
    weights = [step.weight for step in proposals(order)]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) == _COMPLETE_WITHOUT_GRADES.open_documents


@pytest.mark.parametrize("name", ["rbp-residual", "rbp-even", "rbp-leaders", "hedge"])
def test_a_joint_replay_looks_at_every_topic_that_matters(name: str) -> None:
    """Each step takes the heaviest document of all topics, as by asking all of them anew."""
    order, plain = (ORDERS[name](_COMPLETE, joint=True) for _ in range(2))
    for step in islice(replay(order), 150):
        heads = {t: proposal for t in range(len(_COMPLETE)) if (proposal := plain.propose(t))}
        assert step.weight == pytest.approx(max(proposal.weight for proposal in heads.values()))
        here = np.array([step.document])
        plain.learn(step.topic, here, _COMPLETE.relevant(step.topic)[here])


_COMPLETE_WITHOUT_GRADES = gather_candidates(Judgments.from_dict({}), _MADE.runs, depth=40)


@given(st.lists(st.permutations("abcde"), min_size=1, max_size=4), st.integers(1, 5))
def test_candidates_are_the_pool_of_their_depth(lists: list[list[str]], depth: int) -> None:
    """The candidates of a depth are the union of the runs' first documents."""
    runs = Runs.from_rankings({f"r{i}": {"1": ranking} for i, ranking in enumerate(lists)})
    (topic,) = gather_candidates(Judgments.from_dict({}), runs, depth=depth)
    assert set(topic.documents) == {d for ranking in lists for d in ranking[:depth]}
    for row, ranking in zip(topic.ranks, lists, strict=True):
        for document, rank in zip(topic.documents, row.tolist(), strict=True):
            place = ranking.index(document) + 1
            assert rank == (place if place <= depth else ABSENT)


def test_a_document_pooled_and_not_judged_is_open() -> None:
    """A negative grade is no grade."""
    runs = Runs.from_rankings({"one": {"1": ["a", "b"]}})
    candidates = gather_candidates(Judgments.from_dict({"1": {"a": -1, "b": 0}}), runs, depth=2)
    assert candidates.topics[0].graded.tolist() == [False, True]


def test_expected_narrowing_multiplies_the_swing_by_the_chance() -> None:
    """Until the model is asked a swing alone counts; then what is probably relevant comes first."""
    runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["c", "d"]}})
    judgments = Judgments.from_dict({"1": {"a": 0, "b": 0, "c": 1, "d": 1}})
    topics = gather_candidates(judgments, runs, depth=2)
    order = ExpectedNarrowing(topics, lambda _: [np.array([0.0, 0.1, 0.9, 0.8])])
    judged = [topics.topics[0].documents[step.document] for step in replay(order)]
    assert judged == ["a", "c", "d", "b"]


def test_the_model_is_asked_again_when_a_quarter_more_is_judged() -> None:
    """At the first grade, and then at 5 for 4, and 10 for 8."""
    runs = Runs.from_rankings({"bm25": {"1": [f"d{i}" for i in range(12)]}})
    judgments = Judgments.from_dict({"1": {f"d{i}": i % 2 for i in range(12)}})
    asked: list[int] = []

    def ask(judged: list[np.ndarray]) -> list[np.ndarray]:
        asked.append(int(judged[0].sum()))
        return [np.ones(12)]

    list(replay(ExpectedNarrowing(gather_candidates(judgments, runs, depth=12), ask)))
    assert asked == [1, 2, 3, 4, 5, 7, 9, 12]


def test_the_blend_is_a_power_mean_and_a_regression() -> None:
    """Before the first grade m is a half: 0.3 (Σ x m¹⁶)^(1/16) + 0.7 Σ x / (2 runs)."""
    runs = Runs.from_rankings({"bm25": {"1": ["a", "b"]}, "ql": {"1": ["b", "c"]}})
    (topic,) = candidates = gather_candidates(Judgments.from_dict({}), runs, depth=2)
    near = [0.3 + 0.7 * (1 - np.log(rank) / np.log(101)) for rank in (1, 2)]
    worth = {"a": near[0], "b": sum(near), "c": near[1]}
    wanted = [0.3 * (worth[d] * 0.5**16) ** (1 / 16) + 0.7 * worth[d] / 4 for d in topic.documents]
    assert ORDERS["blend"](candidates).weights(0) == pytest.approx(np.array(wanted))
