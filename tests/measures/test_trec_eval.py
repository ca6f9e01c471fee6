"""The same numbers as trec_eval 9.0.8, through pytrec_eval-terrier."""

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import poolwise as pw
from poolwise.errors import MeasureError

# A relevance string and a run's name are no numbers; geometric means are taken over topics.
LEFT_OUT = {"relstring", "runid", "gm_map", "gm_bpref"}
SUPPORTED = sorted(set(pytrec_eval.supported_measures) - LEFT_OUT)


def at_level(name: str, level: int) -> pw.Measure:
    """Return trec_eval's measure under -l: gains and plain counts do not heed it."""
    measure = pw.parse_measure(name)
    if level == 1 or name == "num_ret" or "rel" not in measure.parameters():
        return measure
    return measure(rel=level)


def assert_same_scores(runs: pw.Runs, judgments: pw.Judgments, level: int) -> None:
    """Raise unless every score equals trec_eval's, order and all."""
    grades: dict[str, dict[str, int]] = {}
    for topic, document, grade in judgments:
        grades.setdefault(topic, {})[document] = int(grade)
    evaluator = pytrec_eval.RelevanceEvaluator(grades, set(SUPPORTED), relevance_level=level)
    evidence = pw.align(judgments, runs)
    for s, system in enumerate(runs.systems):
        # Ranks for scores, so that ties have no part in this.
        lists = {t: runs.ranking(system, t) for t in runs.topics}
        ranked = {t: {d: -float(i) for i, d in enumerate(ds)} for t, ds in lists.items() if ds}
        theirs = evaluator.evaluate(ranked)
        mine = evidence.select(np.array([s]))
        for name in next(iter(theirs.values())):
            scores = np.nan_to_num(at_level(name, level).score(mine)[0])
            wanted = [theirs.get(t, {}).get(name, 0.0) for t in evidence.topics]
            if name not in {"num_q", "num_rel"}:  # these count topics that a run lacks, too
                np.testing.assert_allclose(scores, wanted, rtol=0, atol=1e-9, err_msg=name)


def random_collection(rng: np.random.Generator) -> tuple[pw.Runs, pw.Judgments]:
    """Return graded, pooled and unjudged documents, short lists, missing topics."""
    documents = [f"d{i:02}" for i in range(40)]
    grades = {
        str(t): {d: int(rng.integers(-1, 4)) for d in rng.permutation(documents)[:25].tolist()}
        for t in range(6)
    }
    lists = {
        f"run{s}": {
            str(t): rng.permutation(documents)[: rng.integers(0, 40)].tolist() for t in range(6)
        }
        for s in range(3)
    }
    return pw.Runs.from_rankings(lists), pw.Judgments.from_dict(grades)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_random_collections(seed: int, level: int) -> None:
    """Every measure of trec_eval agrees on graded, pooled and unjudged documents."""
    runs, judgments = random_collection(np.random.default_rng(seed))
    assert_same_scores(runs, judgments, level)


@pytest.mark.parametrize("name", ["gm_map", "gm_bpref"])
def test_geometric_means_are_not_measures_of_a_topic(name: str) -> None:
    """The error says which measure to take the geometric mean of."""
    with pytest.raises(MeasureError, match="--average geometric"):
        pw.parse_measure(name)


@pytest.mark.parametrize(("collection", "level"), [("trec8", 1), ("trec-dl-2019", 2)])
def test_real_runs(data_dir: Path, collection: str, level: int) -> None:
    """Every measure of trec_eval agrees on runs of TREC-8 and of DL 2019."""
    folder = data_dir / collection
    paths = sorted((folder / "runs").glob("*.gz"))[:: 20 if collection == "trec8" else 10]
    runs = pw.read_runs(*paths)
    assert_same_scores(runs, pw.read_judgments(folder / "qrels.gz"), level)
