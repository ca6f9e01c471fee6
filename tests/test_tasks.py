"""What people come for: one command or call each, and the answer in the first three lines.

The commands run in a terminal of 80 columns, the calls as a notebook shows them; the page of the
site has what the commands print.
"""

import html
import json
import re
import shlex
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest
from docs.consoles import DOCS, demo_folder, steps_of
from tests.cli.terminals import Terminals, terminals

import poolwise as pw

WIDTH = 80
FIRST = 3
"""Lines in which the answer is."""
BAR = re.compile(r"\d+/\d+ \d+:\d\d:\d\d$")
"""How the line of a bar ends."""
PAGE = DOCS / "tasks.md"
TEXT = PAGE.read_text(encoding="utf-8")


class Task(NamedTuple):
    """A question, what is typed for it, and a pattern of the answer.

    ``call`` is the same in Python; a notebook may say it in other words, which ``shown`` has.
    """

    question: str
    command: str
    answer: str
    call: str = ""
    shown: str = ""


BOTH = '"demo/qrels.txt", "demo/runs"'
ONE = '"demo/qrels.txt", "demo/runs/prf-1.run"'
QRELS = "demo/qrels.txt"
TASKS = (
    Task(
        "One score of one run",
        f"evaluate {QRELS} demo/runs/prf-1.run -m nDCG@10",
        r"prf-1 has a mean nDCG@10 of 0\.5092 over 50 topics",
        f'pw.evaluate({ONE}, "nDCG@10")',
    ),
    Task(
        "Five measures of one run",
        f"evaluate {QRELS} demo/runs/prf-1.run -m nDCG@10,AP,P@10,RBP,RR",
        r"prf-1 0\.5092 0\.4085° 0\.5860 0\.6100 0\.8062",
        f'pw.evaluate({ONE}, ["nDCG@10", "AP", "P@10", "RBP", "RR"])',
        r"prf-1 0\.5092 0\.4085 ° 0\.5860 0\.6100 0\.8062",
    ),
    Task(
        "A folder of runs, by three measures",
        f"evaluate {QRELS} demo/runs -m nDCG@10,P@10,RR",
        r"run nDCG@10 P@10 RR .*prf-1 0\.5092 0\.5860 0\.8062",
        f'pw.evaluate({BOTH}, ["nDCG@10", "P@10", "RR"])',
    ),
    Task(
        "Is my run better than the baseline?",
        f"compare {QRELS} demo/runs/prf-1.run demo/runs/bm25-1.run -m nDCG@10",
        r"prf-1 is ahead of bm25-1 by 0\.0992 in nDCG@10.* significant \(p = 0\.0002",
        'pw.compare("demo/qrels.txt", ["demo/runs/prf-1.run", "demo/runs/bm25-1.run"], "nDCG@10")',
    ),
    Task(
        "Is that real, or could judging turn it?",
        f"compare {QRELS} demo/runs/maverick-1.run demo/runs/bm25-1.run -m nDCG@10",
        r"judging could reverse that \(−0\.4880 to 0\.0302\)",
        'pw.compare("demo/qrels.txt", ["demo/runs/maverick-1.run", "demo/runs/bm25-1.run"],'
        ' "nDCG@10")',
    ),
    Task(
        "What would the score be if all were judged? With one run, and a card",
        f"estimate {QRELS} demo/runs/maverick-1.run --card demo.card -m nDCG@10",
        r"maverick-1 would have a mean nDCG@10 of about 0\.\d{4} \(0\.\d{4} to 0\.\d{4}\)",
        'pw.estimate("demo/qrels.txt", "demo/runs/maverick-1.run", "nDCG@10", card="demo.card")',
    ),
    Task(
        "Which documents shall I judge, with 50 judgments?",
        f"next {QRELS} demo/runs --budget 50",
        r"topic document .*401 LA080789-08549",
        f"pw.next({BOTH}, budget=50)",
    ),
    Task(
        "May I stop judging?",
        f"next {QRELS} demo/runs/bm25-1.run demo/runs/prf-1.run --goal pair:prf-1,bm25-1",
        r"Nothing more to judge for pair:prf-1,bm25-1: prf-1 is ahead of bm25-1",
        'pw.next("demo/qrels.txt", ["demo/runs/bm25-1.run", "demo/runs/prf-1.run"],'
        ' "pair:prf-1,bm25-1")',
    ),
    Task(
        "The table for a paper, with marks that hold",
        f"table {QRELS} demo/runs -m nDCG@10,P@10 --baseline bm25-1",
        r"prf-1 0\.509† .* 0\.586†",
        f'pw.table({BOTH}, ["nDCG@10", "P@10"], baseline="bm25-1")',
        r"By nDCG@10, prf-1 has the highest mean, better than 1 run of 1: bm25-1",
    ),
    Task(
        "May this release ship? Two files of a search engine, and ratings as JSON",
        "gate ratings.json new.json --baseline old.json -m nDCG@10",
        r"Pass: new against old",
        'pw.gate("ratings.json", "new.json", "nDCG@10", baseline="old.json")',
    ),
    Task(
        "How many queries do I need to see a difference of 0.02?",
        f"power {QRELS} demo/runs -m nDCG@10 --delta 0.02",
        r"\d{3} topics are needed to detect a difference of 0\.02 in nDCG@10",
        f'pw.findings.collection_power(pw.evaluate({BOTH}, "nDCG@10")["nDCG@10"], delta=0.02)',
    ),
    Task(
        "A folder of BEIR, and a dict of results",
        "evaluate beir new.json -m nDCG@10,R@100",
        r"new 0\.5092 0\.\d{4}",
        'pw.evaluate("beir", {"new": results}, ["nDCG@10", "R@100"])',
    ),
    Task(
        "Frames of PyTerrier, compared",
        "",
        r"prf is ahead of bm25 by 0\.0992 in nDCG@10",
        'pw.compare(qrels, {"bm25": bm25, "prf": prf}, "nDCG@10")',
    ),
    Task(
        "The same numbers as trec_eval, to the byte",
        f"trec_eval -m map {QRELS} demo/runs/prf-1.run",
        r"map all 0\.4085",
        f'pw.trec_eval({ONE}, measures=["map"])',
        r"measure map topic all value 0\.4085",
    ),
    Task(
        "May I use this language model's labels?",
        f"agree machine.qrels --against {QRELS} --runs demo/runs -m nDCG@10",
        r"No set of these labels can stand in for qrels: with the best, machine, \d+ of 66 pairs",
        'pw.agree("machine.qrels", against="demo/qrels.txt", runs="demo/runs", measure="nDCG@10")',
    ),
    Task(
        "Four labels a topic by a person, a machine's on all: what is the mean?",
        "estimate four.qrels demo/runs/prf-1.run --labels machine.qrels -m P@10",
        r"prf-1 has an estimated mean P@10 of 0\.\d{4}: 0\.\d{4} to 0\.\d{4} for these topics",
        'pw.workflows.estimate_with_labels("four.qrels", "demo/runs/prf-1.run", "P@10",'
        ' labels="machine.qrels")',
    ),
    Task(
        "Where does my baseline stand among all earlier runs?",
        "ledger context results prf-1 --baseline bm25-1",
        r"the baseline bm25-1 stands at percentile \d+ of the 11 original runs",
        'pw.ledger("results").context("prf-1", baseline="bm25-1")',
    ),
    Task(
        "Can this collection be reused, for systems unlike those that made its pool?",
        f"audit {QRELS} demo/runs --reuse",
        r"Reusable for runs like pooled ones to depth \d+; not for given runs that were not pooled",
        f"pw.workflows.reuse({BOTH})",
    ),
    Task(
        "By language, with intervals",
        f"evaluate {QRELS} demo/runs/prf-1.run -m nDCG@10 --by languages.tsv",
        r"de 17 prf-1 0\.5400 0\.3665 to 0\.7136",
        f'pw.workflows.evaluate_by_slice({ONE}, "nDCG@10", by="languages.tsv")',
    ),
    Task(
        "Reproduce this file, and say whether it is the same",
        "replay scores.tsv",
        r"The numbers are the same, to the last digit",
    ),
)
IDS = [str(number) for number, _ in enumerate(TASKS, start=1)]
WITH_COMMANDS = [pytest.param(t, id=n) for t, n in zip(TASKS, IDS, strict=True) if t.command]
WITH_CALLS = [pytest.param(t, id=n) for t, n in zip(TASKS, IDS, strict=True) if t.call]
_STARTED: list[Terminals] = []


def words(command: str) -> list[str]:
    """Return what is typed after ``poolwise``."""
    return shlex.split(command)


def lines_of(page: str) -> list[str]:
    """Return the lines that a notebook shows: paragraphs, captions, and rows of tables."""
    bare = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    lines = re.findall(r"<(p|caption|tr)\b[^>]*>(.*?)</\1>", bare, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]+>", " ", text)) for _, text in lines]


def has_answer(pattern: str, lines: list[str]) -> bool:
    """Say whether the first lines hold the answer, however they are spaced."""
    return re.search(pattern, " ".join(" ".join(lines[:FIRST]).split())) is not None


@pytest.fixture(scope="module", autouse=True)
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make the files of the page in a folder, go there, and start terminals."""
    folder = demo_folder(tmp_path_factory.mktemp("tasks"))
    with pytest.MonkeyPatch.context() as patch, terminals() as made:
        patch.chdir(folder)
        block = re.search(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
        assert block is not None
        exec(compile(block[1], "tasks.md", "exec"), {})  # noqa: S102 -- our own page
        for step in preparations():
            made.screen(WIDTH, *words(step.removeprefix("poolwise ")))
        _STARTED.append(made)
        yield folder
        _STARTED.clear()


def preparations() -> list[str]:
    """Return the commands of the page that make files, before the first task."""
    return [step.command for step in steps_of(TEXT.partition("\n## ")[0])]


@pytest.mark.parametrize("task", WITH_COMMANDS)
def test_a_terminal_has_the_answer_in_three_lines(task: Task) -> None:
    """One command, 80 columns, and whoever reads three lines knows."""
    shown = _STARTED[0].screen(WIDTH, *words(task.command))
    # A bar that was drawn meanwhile is gone by now, which lines without cursors do not tell.
    lines = list(dropwhile(lambda line: not line or BAR.search(line), shown))
    assert has_answer(task.answer, lines), lines[:8]
    assert max(map(len, lines[:FIRST])) <= WIDTH


@pytest.mark.parametrize("task", WITH_CALLS)
def test_a_notebook_has_the_answer_in_three_lines(task: Task) -> None:
    """One call, and the first paragraphs or rows of what it returns say it."""
    result = eval(task.call, {"pw": pw, **frames()})  # noqa: S307 -- the table above
    lines = lines_of(result._repr_html_())
    assert has_answer(task.shown or task.answer, lines), lines[:6]


def frames() -> dict[str, Any]:
    """Return the demo as people have it in Python: results, and frames of PyTerrier."""
    judged = list(pw.read_judgments("demo/qrels.txt"))
    runs = pw.read_runs("demo/runs")
    frame = {
        name: pd.DataFrame(
            [
                {"qid": topic, "docno": document, "score": -float(rank), "rank": rank}
                for topic in runs.topics
                for rank, document in enumerate(runs.ranking(run, topic))
            ]
        )
        for name, run in (("bm25", "bm25-1"), ("prf", "prf-1"))
    }
    results = json.loads(Path("new.json").read_text())
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    return {"results": results, "qrels": qrels, **frame}


def test_the_page_has_every_task() -> None:
    """It lists the same questions, commands and calls, in the same order."""
    sections = TEXT.split("\n## ")[1:]
    assert len(sections) == len(TASKS) == 20
    for number, (section, task) in enumerate(zip(sections, TASKS, strict=True), start=1):
        assert section.partition("\n")[0] == f"{number}. {task.question}"
        commands = [step.command for step in steps_of(section)]
        assert commands == ([f"poolwise {task.command}"] if task.command else [])
        assert f"`{task.call}`" in section if task.call else "`pw." not in section
