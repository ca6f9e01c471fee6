"""Every command that writes, by the words that make it write, and the file that it writes."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from tests.cli.conftest import BM25, DENSE, QRELS

import poolwise as pw

BOTH = ("qrels.txt", "runs")
POOL = ("runs", "--grades-from", "qrels.txt", "--depth", "1")


class Writer(NamedTuple):
    """The words of a command, and the file that they name."""

    words: tuple[str, ...]
    target: str


def _to(target: str, *words: str) -> Writer:
    return Writer((*words, "-o", target), target)


PRINTING: dict[str, tuple[str, ...]] = {
    "agree": ("agree", "labels.txt", "--against", "qrels.txt"),
    "audit": ("audit", *BOTH),
    "evaluate": ("evaluate", *BOTH, "-m", "P@2"),
    "compare": ("compare", *BOTH, "-m", "P@2", "--draws", "5"),
    "table": ("table", *BOTH, "-m", "P@2"),
    "diversity": ("diversity", *BOTH, "-m", "StRecall@2"),
    "estimate": ("estimate", *BOTH, "-m", "P@2"),
    "standardize": ("standardize", *BOTH, "-m", "P@2"),
    "gate": ("gate", "qrels.txt", "copy.run", "--baseline", "runs/bm25.run", "-m", "P@2"),
    "next": ("next", *BOTH, "--goal", "relevant", "--budget", "3"),
    "pool": ("pool", "runs", "--depth", "1"),
    "power": ("power", "--delta", "0.1", "--sigma", "0.2"),
    "show": ("show", *BOTH, "--topic", "1"),
    "similarity": ("similarity", "runs"),
    "measures": ("measures",),
    "design": ("design", "--delta", "0.1", "--sigma", "0.2", "--simulations", "50"),
    "journal show": ("journal", "show", "mine.journal"),
    "campaign status": ("campaign", "status", "campaign"),
    "campaign next": ("campaign", "next", "campaign", "--budget", "3"),
    "ledger list": ("ledger", "list", "ledger"),
    "ledger rank": ("ledger", "rank", "ledger", "--resamples", "20"),
    "ledger context": ("ledger", "context", "ledger", "bm25"),
    "ledger compare": ("ledger", "compare", "ledger"),
    "ledger trend": ("ledger", "trend", "ledger", "-m", "P@2"),
    "ledger check": ("ledger", "check", "ledger", "--hashes-only"),
    "audit --reuse": ("audit", *BOTH, "--reuse"),
    "card show": ("card", "show", "tiny.card"),
    "study inclusion": (
        *("study", "inclusion", "--scores", "scores.csv", "--a", "a", "--b", "b"),
        *("--delta", "0.1", "--start", "2", "--simulations", "20"),
    ),
    "study peeking": (
        *("study", "peeking", "--scores", "scores.csv"),
        *("--start", "2", "--orders", "5", "--highest", "1"),
    ),
    "study anova": ("study", "anova", "--scores", "scores.csv"),
    "study dispersion": ("study", "dispersion", "--scores", "scores.csv", "--resamples", "9"),
    "study gains": ("study", "gains", *BOTH),
    "study variance": ("study", "variance", "--scores", "scores.csv"),
    "study verdict": ("study", "verdict", *BOTH, "-m", "P@2", "--a", "bm25", "--b", "dense"),
    "study votes": ("study", "votes", *BOTH, "--depth", "2"),
    "study agreement": ("study", "agreement", "runs", "--a", "bm25"),
    "study curves": ("study", "curves", *BOTH),
    "study degradation": ("study", "degradation", "--repeats", "2", "--swaps", "3"),
    "study distribution": ("study", "distribution", "--scores", "scores.csv"),
    "study draws": ("study", "draws", *BOTH, "--run", "bm25", "--topic", "1", "--draws", "5"),
    "study growth": ("study", "growth", *BOTH, "--pool-depths", "1,2"),
    "study intensity": ("study", "intensity", "--scores", "scores.csv"),
    "study orders": ("study", "orders", *BOTH, "-m", "P@2", "-m", "P@1"),
    "study references": (
        *("study", "references", "--scores", "scores.csv"),
        *("--sizes", "2", "--samples", "5"),
    ),
    "study time": ("study", "time", "runs", "--dates", "dates.txt"),
    "study topics": ("study", "topics", "--scores", "scores.csv"),
    "study weights": ("study", "weights", "-m", "P@2", "--depth", "5", "--judged", "2"),
    "study comparability": ("study", "comparability", "--scores", "scores.csv"),
    "study depth": (
        *("study", "depth", *BOTH, "-m", "P@2"),
        *("--pool-depths", "1,2", "--depths", "1,2"),
    ),
    "study discrimination": ("study", "discrimination", "--scores", "scores.csv"),
    "study gain-models": ("study", "gain-models", *BOTH),
    "study convergence": (
        *("study", "convergence", *BOTH, "--run", "bm25", "--topic", "1"),
        *("--pool-depths", "1,2", "--depth", "2"),
    ),
    "study discrimination --pool-depths": (
        *("study", "discrimination", *BOTH, "-m", "P@2"),
        *("--pool-depths", "1,2"),
    ),
    "study judging-order": ("study", "judging-order", *BOTH, "-m", "P@2", "--judgments", "1,2"),
    "study leave-out": ("study", "leave-out", *BOTH, "-m", "P@2", "--depth", "1"),
    "study leave-out --tests": (
        *("study", "leave-out", *BOTH, "-m", "P@2", "--depth", "1"),
        *("--treatment", "nonrelevant,condensed", "--tests", "rmse"),
    ),
    "study movement": (
        *("study", "movement", *BOTH, "-m", "P@2"),
        *("--pool-depths", "1", "--reference", "2"),
    ),
    "study persistence": ("study", "persistence", *BOTH, "-m", "P@2"),
    "study pooling-bias": (
        *("study", "pooling-bias", *BOTH, "-m", "P@2", "--depth", "2", "--widths", "1"),
        *("--common", "1", "--pools", "2", "--test", "bm25"),
    ),
    "study unjudged": (
        *("study", "unjudged", *BOTH, "-m", "P@2"),
        *("--treatment", "condensed", "--complete", "qrels.txt"),
    ),
    "study uncertainty": ("study", "uncertainty", *BOTH, "--p", "0.5,0.8"),
    "study predictivity": ("study", "predictivity", "--scores", "scores.csv", "--partitions", "5"),
    "study swaps": ("study", "swaps", "--scores", "scores.csv", "--draws", "5"),
    "study undiscovered": ("study", "undiscovered", *BOTH, "--depth", "2", "--pooled", "bm25"),
    "study variants": (
        *("study", "variants", "--scores", "scores.csv"),
        *("--variants", "variants.txt"),
    ),
}
"""The commands that print numbers, by name: all of them take -o, --provenance and --force."""

WRITERS: dict[str, Writer] = {
    **{name: _to("out.tsv", *words) for name, words in PRINTING.items()},
    "merge": _to("out.qrels", "merge", "qrels.txt", "qrels.txt"),
    "convert": _to("out.jsonl", "convert", "qrels.txt", "--to", "jsonl"),
    "pool --grades-from": _to("out.qrels", "pool", *POOL),
    "sample": _to("out.tsv", "sample", "runs", "--design", "depths:2=0.5"),
    "report": _to("out.html", "report", *BOTH, "-m", "P@2"),
    "standardize --save": Writer(
        ("standardize", *BOTH, "-m", "P@2", "--save", "factors.tsv"), "factors.tsv"
    ),
    "next --ranks": _to("out.tsv", "next", *BOTH, "--goal", "relevant", "--ranks"),
    "next --save": Writer(
        ("next", *BOTH, "--goal", "common:1", "--save", "common.tsv"), "common.tsv"
    ),
    "audit --save-hashes": Writer(
        ("audit", *BOTH, "--documents", "corpus.tsv", "--save-hashes", "out.tsv"), "out.tsv"
    ),
    "compare --html": Writer(
        ("compare", "qrels.txt", "runs/bm25.run", "copy.run", "-m", "P@2", "--html", "out.html"),
        "out.html",
    ),
    "gate --freeze": Writer(
        ("gate", "qrels.txt", "--baseline", "runs/bm25.run", "--freeze", "out.frozen"), "out.frozen"
    ),
    "gate --junit": Writer(
        ("gate", "qrels.txt", "copy.run", "--baseline", "runs/bm25.run", "--junit", "out.xml"),
        "out.xml",
    ),
    "evaluate --plot": Writer(("evaluate", *BOTH, "-m", "P@2", "--plot", "out.png"), "out.png"),
    "evaluate --provenance": Writer(
        ("evaluate", *BOTH, "-m", "P@2", "--provenance", "out.json"), "out.json"
    ),
    "trec_eval": Writer(
        ("trec_eval", "qrels.txt", "runs/bm25.run", "--output", "out.txt"), "out.txt"
    ),
    "card make": _to("out.card", "card", "make", *BOTH, "-m", "P@2"),
    "demo": Writer(("demo", "-o", "demo"), "demo/qrels.txt"),
}
"""Every way to make a command write."""

DATES = "bm25 mine 2008-12-05\ndense mine 2008-12-06\n"
VARIANTS = "1 x short\n2 x long\n3 y short\n4 y long\n"
SCORES = "topic,a,b,c\n1,0.1,0.3,0.2\n2,0.4,0.6,0.9\n3,0.3,0.8,0.5\n4,0.2,0.1,0.6\n"


def lay_beside(folder: Path) -> None:
    """Put scores, dates, variants, a journal and a ledger beside the judgments of a folder."""
    pw.journal(folder / "mine.journal").start(delta=1, sigma=0.2, measure="P@2", date="2026-11-18")
    texts = {"scores.csv": SCORES, "dates.txt": DATES, "variants.txt": VARIANTS}
    for name, text in (texts | {"corpus.tsv": "a\tone text\n"}).items():
        (folder / name).write_text(text)
    for name, content in (_ledger() | _campaign() | {"tiny.card": _card()}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@cache
def _ledger() -> dict[str, bytes]:
    """Return the files of a ledger of the two runs, by their places."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        for name, text in (("qrels.txt", QRELS), ("bm25.run", BM25), ("dense.run", DENSE)):
            (folder / name).write_text(text)
        runs = [folder / "bm25.run", folder / "dense.run"]
        about = {"collection": "tiny", "year": 2026, "original": True}
        results = pw.ledger(folder / "ledger", make=True)
        results.add(folder / "qrels.txt", runs, ["P@2"], missing="zero", **about)
        files = [path for path in (folder / "ledger").rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@cache
def _campaign() -> dict[str, bytes]:
    """Return the files of a campaign of the two runs, by their places."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        for name, text in (("qrels.txt", QRELS), ("bm25.run", BM25), ("dense.run", DENSE)):
            (folder / name).write_text(text)
        topics = pw.read_judgments(folder / "qrels.txt").topics
        (folder / "topics.tsv").write_text("".join(f"{t}\tquery {t}\n" for t in topics))
        started = pw.workflows.Campaign.make(folder / "campaign", measures=["P@2"], depth=2)
        started.add_topics(folder / "topics.tsv")
        started.add_runs([folder / "bm25.run", folder / "dense.run"])
        started.import_judgments(folder / "qrels.txt", assessor="Ann")
        files = [path for path in (folder / "campaign").rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@cache
def _card() -> bytes:
    """Return the file of a card of the two runs."""
    runs = {"bm25": {"1": {"a": 2, "x": 1}}, "dense": {"1": {"y": 2, "c": 1}}}
    return pw.workflows.card_bytes(pw.make_card({"1": {"a": 1, "b": 0}}, runs, "P@2"))


every_writer: Callable[..., pytest.MarkDecorator] = pytest.mark.parametrize(
    "writer", WRITERS.values(), ids=WRITERS.keys()
)
every_printing_command = pytest.mark.parametrize("words", PRINTING.values(), ids=PRINTING.keys())
