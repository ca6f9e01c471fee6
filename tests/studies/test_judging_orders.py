"""A replay of orders counts what was found, and who falls."""

import numpy as np
import pytest

from poolwise import Judgments, Runs, align, parse_measure, score, simulate
from poolwise.collection._groups import Groups
from poolwise.errors import OptionError
from poolwise.studies._judging_orders import AllJudgments, replay_orders

_MADE = simulate(systems=7, topics=4, depth=30, rng=2)


def test_with_all_judgments_nothing_is_lost() -> None:
    """Once everything is judged, every order has found all, and no run falls."""
    study = replay_orders(_MADE.truth, _MADE.runs, measure="P@10", counts=[10, 10_000])
    assert np.ptp(study.relevant[:, 1]) == 0
    assert study.tau[:, 1] == pytest.approx(1)
    assert (study.fall[:, 1] == 0).all()
    assert (study.needed > 0).all()


def test_counts_are_those_of_the_hand() -> None:
    """Rank by rank, the second document judged is the first of the second run."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "w"]}})
    truth = Judgments.from_dict({"1": {"x": 0, "y": 0, "z": 1, "w": 1}})
    study = replay_orders(truth, runs, measure="P@2", orders=["depth"], counts=[1, 2, 4])
    assert study.relevant.tolist() == [[0, 1, 2]]
    assert study.needed.tolist() == [4]
    assert study.fall.tolist() == [[0.5, 0, 0]]


def test_every_significant_pair_is_kept_reversed_or_lost() -> None:
    """The three shares add up to one, and with all judgments every pair is kept."""
    made = simulate(systems=10, topics=20, depth=30, rng=3)
    study = replay_orders(
        made.truth, made.runs, measure="P@10", orders=["depth", "max-mean"], counts=[5, 10_000]
    )
    assert study.kept + study.reversed + study.lost == pytest.approx(np.ones((2, 2)))
    assert study.kept[:, 1].tolist() == [1, 1]
    assert (study.kept[:, 0] < 1).any()


def test_only_pooled_runs_are_judged_and_all_are_scored() -> None:
    """Judging a single run to the end finds its relevant documents and no others."""
    runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "w"]}})
    truth = Judgments.from_dict({"1": {"x": 0, "y": 1, "z": 1, "w": 1}})
    study = replay_orders(truth, runs, measure="P@2", orders=["depth"], counts=[9], pooled=["a"])
    assert study.relevant.tolist() == [[1]]
    assert study.fall.tolist() == [[1]]
    assert study.pooled == 1


def test_who_had_no_part_in_judging_falls_as_by_hand() -> None:
    """Without b its two relevant documents are not judged, and it falls from first to last."""
    runs = Runs.from_rankings(
        {n: {"1": list(d)} for n, d in {"a": "xy", "b": "zw", "c": "xy"}.items()}
    )
    truth = Judgments.from_dict({"1": {"x": 0, "y": 1, "z": 1, "w": 1}})
    ask = {"measure": "P@2", "orders": ["depth"], "counts": [9], "left_out": True}
    assert replay_orders(truth, runs, **ask).left_out_fall.tolist() == [2]
    together = Groups.from_dict({"a": "one", "c": "one", "b": "two"})
    study = replay_orders(truth, runs, groups=together, **ask)
    assert study.left_out_fall.tolist() == [2]
    assert any("had no part in judging" in sentence for sentence in study.sentences())


@pytest.mark.parametrize("options", [{"orders": ["none"]}, {"counts": []}, {"counts": [0]}])
def test_what_cannot_be_replayed_is_refused(options: dict[str, list[object]]) -> None:
    """An order that is not known, or no judgments at all, are mistakes."""
    with pytest.raises(OptionError, match="Hint: use"):
        replay_orders(_MADE.truth, _MADE.runs, **options)


def test_what_is_probably_relevant_is_judged_sooner() -> None:
    """The expected narrowing finds relevant documents before the narrowing that ignores chances."""
    made = simulate(systems=12, topics=10, depth=40, rng=5)
    study = replay_orders(
        made.truth, made.runs, orders=["mtc", "expected-narrowing"], counts=[40], depth=40
    )
    assert study.relevant[1, 0] > study.relevant[0, 0]
    assert study.needed[1] < study.needed[0]


def test_pairs_are_kept_turned_and_lost_by_name() -> None:
    """A pair that a few judgments turn round is reversed, and one that they hide is lost."""
    topics = [str(t) for t in range(12)]
    ranked = {"a": ["x", "n"], "b": ["y", "m"], "c": ["z", "k"], "d": ["w", "v"]}
    runs = Runs.from_rankings({r: dict.fromkeys(topics, docs) for r, docs in ranked.items()})
    odd = {t: i % 5 == 0 for i, t in enumerate(topics)}
    truth = Judgments.from_dict(
        {
            t: {"x": 1, "n": 1} | dict.fromkeys("yzw", int(odd[t])) | dict.fromkeys("mkv", 0)
            for t in topics
        }
    )
    evidence = align(truth, runs)
    whole = AllJudgments.of(truth, evidence, parse_measure("P@2"))
    # Were the judged documents these, b and d would be ahead of a, and c would be level with it.
    turned = Judgments.from_dict(
        {t: {"y": 1, "m": int(odd[t]), "w": 1, "v": int(odd[t])} for t in topics}
    )
    kept, reversed_, lost = whole._pairs(score(align(turned, runs), "P@2", bounds="none"))
    assert (kept, reversed_, lost) == pytest.approx((0, 2 / 3, 1 / 3))
