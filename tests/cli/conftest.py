"""A tiny collection on disk, and a way to run the command on it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.every_command import write_demo

from poolwise.cli.main import main

QRELS = """\
1 0 a 1
1 0 b 0
1 0 c 2
2 0 a 0
2 0 d 1
3 0 e 0
"""
BM25 = """\
1 Q0 a 1 3.5 bm25
1 Q0 x 2 2.5 bm25
1 Q0 c 3 1.5 bm25
2 Q0 d 1 9 bm25
2 Q0 a 2 8 bm25
3 Q0 e 1 1 bm25
"""
DENSE = """\
1 Q0 y 1 0.9 dense
1 Q0 c 2 0.8 dense
2 Q0 a 1 0.7 dense
4 Q0 z 1 0.1 dense
"""
LABELS = QRELS.replace("a 1", "a 0").replace("e 0", "e 1")


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write qrels.txt, two runs in a folder and a copy of one beside it, and go there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "runs" / "bm25.run").write_text(BM25)
    (tmp_path / "runs" / "dense.run").write_text(DENSE)
    (tmp_path / "copy.run").write_text(BM25.replace("bm25", "copy"))
    (tmp_path / "labels.txt").write_text(LABELS)
    return tmp_path


@pytest.fixture
def run() -> Callable[..., Result]:
    """Return a function that runs ``poolwise`` with these words."""

    def invoke(*words: str, text: str | None = None) -> Result:
        return CliRunner().invoke(main, list(words), input=text)

    return invoke


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the demo's files, and all that examples name beside them."""
    return write_demo(tmp_path_factory.mktemp("demo"))
