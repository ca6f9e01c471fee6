"""Whether judgments can be used again is told by runs that are left out of the pool."""

import numpy as np
import pytest

import poolwise as pw
from poolwise.findings._reuse import ReuseRow


def collection(depth: int) -> tuple[pw.Judgments, pw.Runs]:
    """Return a collection whose runs were all pooled to a depth."""
    made = pw.simulate(systems=12, topics=30, depth=40, rng=2)
    pooled = made.runs.select([run for run in made.runs.systems if "maverick" not in run])
    return pw.pool(made.judgments, pooled, depth=depth), pooled


def test_bias_and_orders_are_those_of_scores_without_the_runs_own_judgments() -> None:
    """One group by hand: hide what it alone nominates, score again, count orders."""
    qrels, runs = collection(10)
    groups = pw.Groups.from_dict({run: run for run in runs.systems})
    reuse = pw.findings.reusability(qrels, runs, groups=groups, cutoffs=[10])
    row = reuse.rows[0]
    evidence, losses, stay, shares = pw.align(qrels, runs), [], [], []
    judged = pw.score(evidence, "Judged@10", bounds="none").means()
    pooled = [run for run, share in zip(runs.systems, judged, strict=True) if share >= 0.95]
    nominated = pw.nominate(qrels, runs)
    full = pw.score(evidence, "nDCG@10", bounds="none").means()
    for run in pooled:
        at = runs.systems.index(run)
        left = nominated.leave_out(run, depth=10, systems=pooled)
        if len(left) == len(qrels):
            continue
        now = evidence.regrade(left)
        means = pw.score(now, "nDCG@10", bounds="none").means()
        others = [runs.systems.index(other) for other in pooled if other != run]
        losses.append(means[at] - full[at])
        stay.append((np.sign(full[at] - full) == np.sign(means[at] - means))[others].mean())
        shares.append(pw.score(now, "Judged@10", bounds="none").means()[at])
    assert row.runs == len(losses) > 5
    assert row.bias == pytest.approx(np.mean(losses))
    assert row.orders == pytest.approx(np.mean(stay))
    assert row.judged == pytest.approx(np.mean(shares))


def test_a_pool_of_runs_alike_met_by_others_is_flagged() -> None:
    """Two kinds of pooled runs say nothing of a third, and runs that nobody judged are named."""
    made = pw.simulate(systems=12, topics=30, depth=40, rng=2)
    alike = [run for run in made.runs.systems if run.startswith("bm25")]
    qrels = pw.pool(made.judgments, made.runs.select(alike), depth=10)
    reuse = pw.findings.reusability(qrels, made.runs)
    assert not reuse.is_diverse
    assert reuse.deepest("given runs that were not pooled") == 0
    said = " ".join(reuse.sentences())
    assert "of any kind that was not pooled" in said
    assert "the pooled runs are too alike" in said


def test_the_deepest_cut_off_is_the_last_before_one_that_is_not_safe() -> None:
    """A deeper cut-off that happens to be safe does not mend one above it."""
    rows = tuple(
        ReuseRow("runs", cutoff, 5, 1.0, 0.5, bias, orders, 0.1)
        for cutoff, bias, orders in ((5, 0.0, 1.0), (10, -0.03, 1.0), (20, 0.0, 1.0))
    )
    assert [row.is_safe for row in rows] == [True, False, True]
    reuse = pw.findings.Reusability(rows, 9, "group", (), 30, "Pool: depth 20.")
    assert reuse.deepest("runs") == 5
    assert reuse.sentences()[0] == "Reusable for runs to depth 5."


def test_nothing_is_said_below_the_pool() -> None:
    """Cut-offs end at the depth of the pool: there, leaving a run out shows nothing."""
    reuse = pw.findings.reusability(*collection(10))
    assert max(row.cutoff for row in reuse.rows) == 10
