"""PyTerrier's frames and transformers are taken as they are; oracle: pt.Experiment itself."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import poolwise as pw

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["one", "two", "three"]})


@pytest.fixture(scope="module")
def pt() -> Any:
    """Import PyTerrier, which needs no Java for frames and transformers of Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pyterrier", reason="python-terrier is not installed")


def retrieved(seed: int) -> pd.DataFrame:
    """Return what a retriever gives for each topic, columns of PyTerrier's own included."""
    rng = np.random.default_rng(seed)
    frame = TOPICS.merge(pd.DataFrame({"docno": [f"d{i}" for i in range(8)]}), how="cross")
    frame["docid"] = frame.index
    frame["score"] = rng.permutation(len(frame)) / 7
    rank = frame.groupby("qid")["score"].rank(ascending=False) - 1
    frame["rank"] = rank.astype(int)
    return frame


def judged() -> pd.DataFrame:
    """Return qrels as PyTerrier holds them."""
    rng = np.random.default_rng(0)
    frame = TOPICS[["qid"]].merge(pd.DataFrame({"docno": [f"d{i}" for i in range(8)]}), how="cross")
    frame["label"] = rng.integers(0, 3, len(frame))
    return frame


@pytest.mark.filterwarnings("ignore")  # PyTerrier's own
def test_an_experiment_has_the_same_numbers(pt: Any) -> None:
    """Transformers in, judgments and runs out, and poolwise scores them as PyTerrier does."""
    systems = [pt.Transformer.from_df(retrieved(seed)) for seed in (1, 2)]
    names = ["bm25", "dense"]
    qrels = judged()
    expected = pt.Experiment(
        systems, TOPICS, qrels, ["ndcg_cut_5", "map"], names=names
    ).set_index("name")  # fmt: skip
    judgments, runs = pw.from_pyterrier(systems, TOPICS, qrels, names=names)
    evaluation = pw.evaluate(judgments, runs, ["ndcg_cut_5", "map"])
    for theirs, ours in (("ndcg_cut_5", "nDCG@5"), ("map", "AP")):
        assert evaluation[ours].means().tolist() == pytest.approx(
            expected[theirs].loc[names].tolist()
        )


def test_frames_by_name_need_no_topics() -> None:
    """Results that are there already are not computed again."""
    frames = {"bm25": retrieved(1), "dense": retrieved(2)}
    judgments, runs = pw.from_pyterrier(frames, None, judged())
    assert runs.systems == ("bm25", "dense")
    assert len(pw.compare(judgments, runs, "nDCG@5")["nDCG@5"]) == 1


def test_names_are_as_many_as_systems() -> None:
    """A system without a name among named ones is an error."""
    with pytest.raises(pw.OptionError, match="names: 1 name for 2 systems"):
        pw.from_pyterrier([retrieved(1), retrieved(2)], None, judged(), names=["bm25"])
