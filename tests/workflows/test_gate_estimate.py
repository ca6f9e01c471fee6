"""A gate speaks of unjudged documents by the one default estimate."""

import poolwise as pw
from poolwise.words import signed


def test_the_remark_has_the_difference_of_default_estimates() -> None:
    """It is what estimate says of the two runs, in the same words, and nothing without a hole."""
    made = pw.simulate(systems=12, topics=20, depth=40, rng=2)
    pooled = made.runs.select([run for run in made.runs.systems if "maverick" not in run])
    qrels = pw.pool(made.judgments, pooled, depth=10)
    old, new = made.runs.select(["bm25-1"]), made.runs.select(["maverick-1"])
    gated = pw.gate(qrels, new, "nDCG@10", baseline=old)
    both = made.runs.select(["bm25-1", "maverick-1"])
    table = pw.estimate(qrels, both, "nDCG@10", treatments="model")["nDCG@10"].scores["model"]
    before, after = table.means().tolist()
    (said,) = gated.remarks
    assert f"the difference in nDCG@10 is {signed(after - before)}" in said
    assert "halfway to the bootstrap, if this run's documents were judged" in said
    options = dict(gated.provenance.options)
    assert options["pool_depth"] == "10 (assumed)"
    assert options["pooled"] == "1 of 2 runs"
    judged = pw.gate(qrels, made.runs.select(["bm25-2"]), "nDCG@10", baseline=old)
    assert judged.remarks == ()
    assert "pool_depth" not in dict(judged.provenance.options)
