"""The best ranks of documents without a grade are those of runs read in full."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.each import over
from tests.run_files import TIES

from poolwise import Judgments, read_runs
from poolwise.collection.files import _topic_places
from poolwise.collection.files._inputs import scan_grades
from poolwise.collection.files._native import JudgedMarks
from poolwise.evidence._grades import BEYOND, UNJUDGED, codes_of_rows

pytestmark = pytest.mark.usefixtures("native_reader")

Lists = dict[str, dict[str, int]]

DOCUMENTS = [*"abcdefgh", "FT911-1", "FT911-10", "clueweb09-en0000-00-00000"]
GRADED: Lists = {"1": {"a": 0, "b": 2, "c": -1}, "2": {"FT911-1": 1, "d": -2}, "9": {"a": 1}}


def written(folder: Path, lists: Sequence[Lists]) -> list[str]:
    """Write each run, {topic: {document: score}}, as a file."""
    paths = [folder / f"run{i}" for i in range(len(lists))]
    for path, run in zip(paths, lists, strict=True):
        entries = [(t, d, score) for t, scores in run.items() for d, score in scores.items()]
        path.write_text("".join(f"{t} Q0 {d} 0 {s} {path.name}\n" for t, d, s in entries))
    return [str(path) for path in paths]


def best_ranks(paths: list[str], grades: Lists, **reading: Any) -> NDArray[np.unsignedinteger]:
    judgments = Judgments.from_dict(grades)
    codes = codes_of_rows(judgments, np.dtype(np.int8))
    rows = judgments.topics, judgments.documents, judgments.starts
    judged = JudgedMarks(*rows, codes, other=UNJUDGED)
    marked = scan_grades(paths, judged, lambda *_: judged.topics, beyond=BEYOND, **reading)
    assert marked is not None
    (block,) = marked.lists.blocks
    return block.best_ranks


def counted(paths: list[str], grades: Lists, ties: str = "trec_eval") -> list[list[int]]:
    """Count document by document, for each judged topic as deep as the longest list of any."""
    runs = read_runs(*paths, ties=ties)
    topics = Judgments.from_dict(grades).topics
    depth = max(
        (len(runs.ranking(s, t)) for s in runs.systems for t in answered(runs, topics)), default=0
    )
    counts = {topic: [0] * depth for topic in topics}
    for topic in answered(runs, topics):
        best: dict[str, int] = {}
        for system in runs.systems:
            for rank, document in enumerate(runs.ranking(system, topic)):
                if grades[topic].get(document, -1) < 0:
                    best[document] = min(rank, best.get(document, rank))
        for rank in best.values():
            counts[topic][rank] += 1
    return [counts[topic] for topic in topics]


def answered(runs: Any, topics: Sequence[str]) -> list[str]:
    return [topic for topic in topics if topic in runs.topics]


LISTS = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1)
RUNS = st.dictionaries(st.sampled_from(["1", "2", "3", "9"]), LISTS, min_size=1)


@given(lists=st.lists(RUNS, min_size=1, max_size=5), ties=st.sampled_from(TIES), data=st.data())
def test_each_document_counts_once_at_its_best_rank(
    lists: list[Lists], ties: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Counts are those of a search through all lists, whatever the order of files and workers."""
    paths = written(tmp_path_factory.mktemp("runs"), lists)
    wanted = counted(paths, GRADED, ties)
    for workers in (1, 2):
        ranks = best_ranks(data.draw(st.permutations(paths)), GRADED, ties=ties, workers=workers)
        assert ranks.dtype == np.uint8
        assert ranks.tolist() == wanted


@given(run=RUNS, ties=st.sampled_from(TIES))
def test_a_run_in_parts_counts_as_one(
    run: Lists, ties: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file that is read in parts has the best ranks of the whole file."""
    paths = written(tmp_path_factory.mktemp("runs"), [run])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_topic_places, "_SMALLEST", 0)
        for workers in (1, 2, 3):
            ranks = best_ranks(paths, GRADED, ties=ties, workers=workers)
            assert ranks.tolist() == counted(paths, GRADED, ties)


@over("longest", [1, 1023, 1024, 5000])
@over("workers", [1, 2])
def test_lists_of_any_length_are_counted(tmp_path: Path, longest: int, workers: int) -> None:
    """Short lists and long ones meet in one table, whichever comes first."""
    rng = np.random.default_rng(longest)
    lengths = [longest, 3, longest // 2 + 1, longest, 40]
    lists = [
        {"1": {f"d{d}": -rank for rank, d in enumerate(rng.permutation(2 * length)[:length])}}
        for length in lengths
    ]
    paths, grades = written(tmp_path, lists), {"1": {f"d{d}": 1 for d in range(0, 900, 7)}}
    wanted = counted(paths, grades)
    assert best_ranks(paths, grades, workers=workers).tolist() == wanted
    assert best_ranks(paths[::-1], grades, workers=workers).tolist() == wanted


@pytest.mark.parametrize(("count", "kind"), [(255, np.uint8), (256, np.uint16)])
def test_counts_hold_as_many_documents_as_there_are_runs(
    tmp_path: Path, count: int, kind: type[np.unsignedinteger]
) -> None:
    """Where every run has a first document of its own, none of them is lost."""
    paths = written(tmp_path, [{"1": {f"own{i}": 2, "shared": 1}} for i in range(count)])
    ranks = best_ranks(paths, {"1": {"other": 1}}, workers=2)
    assert ranks.dtype == kind
    assert ranks.tolist() == [[count, 1]]


def test_topics_that_no_run_answers_have_no_unknown_documents(tmp_path: Path) -> None:
    """Their rows are 0, and where no judged topic is answered there are no ranks."""
    paths = written(tmp_path, [{"1": {"x": 1}}, {"1": {"x": 1, "a": 2}}])
    assert best_ranks(paths, GRADED).tolist() == [[1, 0], [0, 0], [0, 0]]
    assert best_ranks(paths, {"7": {"x": 1}}).shape == (1, 0)
