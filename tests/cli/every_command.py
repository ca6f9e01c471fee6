"""Every command, a way to run it as typed, and the files that its examples name."""

import shlex
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import poolwise as pw
from poolwise.cli._parameter_types import ShortHelp
from poolwise.cli.main import main

__all__ = ["COLUMNS", "COMMANDS", "invoke", "write_demo"]

COLUMNS = 80
"""Of a terminal: an example that is longer would be broken."""
MADE_BEFORE = (
    "evaluate qrels.txt runs -m AP --per-topic -o scores.tsv",
    "table qrels.txt runs -m nDCG@10 -o table.tex",
    "standardize qrels.txt runs -m AP --save factors.tsv",
    "card make qrels.txt runs --groups groups.txt -o demo.card",
    "journal start begun.journal -m nDCG@10 --delta 0.2 --sigma 0.15",
    "journal start judged.journal -m nDCG@10 --delta 0.2 --sigma 0.15 --most 7",
    "journal step judged.journal qrels.txt old.run new.run --topics first",
    "ledger add results qrels.txt runs --collection demo --original --year 2026",
    "evaluate qrels.txt runs -m AP --per-topic -o scores.csv",
    "campaign demo mine",
    "campaign import mine qrels.txt --assessor Ann",
    "campaign add-run mine mine/later/dfr-3.run",
)
"""What makes the files that examples read."""


def commands(group: click.Group = main, path: str = "") -> Iterator[tuple[str, ShortHelp]]:
    """Yield every command with what is typed for it after ``poolwise``."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert isinstance(command, ShortHelp), name
        yield f"{path} {name}".strip(), command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}".strip())


COMMANDS: dict[str, ShortHelp] = {"": main, **dict(commands())}  # type: ignore[dict-item]


def invoke(words: str) -> Result:
    """Run ``poolwise`` with these words, in a terminal of 80 columns."""
    return CliRunner(env={"COLUMNS": str(COLUMNS)}).invoke(main, shlex.split(words))


def write_demo(folder: Path) -> Path:
    """Write a small collection under the names of the demo, and what examples name beside it."""
    made = pw.simulate(systems=12, topics=26, depth=110, rng=8)
    (folder / "runs").mkdir()
    pw.write_judgments(made.judgments, folder / "qrels.txt")
    for name in made.runs.systems:
        pw.write_run(made.runs, name, folder / "runs" / f"{name}.run")
    for name, source in {"old": "bm25-1", "new": "maverick-1"}.items():
        text = (folder / "runs" / f"{source}.run").read_text().replace(source, name)
        (folder / f"{name}.run").write_text(text)
    qrels = (folder / "qrels.txt").read_text()
    lines = [line.split() for line in qrels.splitlines()]
    (folder / "langs.tsv").write_text(
        "topic\tquery\tlanguage\n"
        + "".join(f"{t}\tq\t{'en' if int(t) % 3 else 'fr'}\n" for t in made.judgments.topics)
    )
    (folder / "then.tsv").write_text(
        "".join(f"{d}\t{sha256(f'About {d}.'.encode()).hexdigest()}\n" for d in made.runs.documents)
    )
    for name in ("labels.txt", "gpt"):
        (folder / name).write_text(qrels.replace(" 1\n", " 0\n", 9))
    pw.write_judgments(
        made.judgments.select(topics=made.judgments.topics[:21]), folder / "some.txt"
    )
    (folder / "ratings.csv").write_text("query,docid,rating\nq1,d1,3\n")
    (folder / "topics.tsv").write_text("401\tred dress\n")
    (folder / "corpus.jsonl").write_text(
        "".join(f'{{"id": "{d}", "text": "About {d}."}}\n' for d in made.runs.documents)
    )
    (folder / "more.qrels").write_text(f"{lines[0][0]} 0 new-document 1\n")
    (folder / "intents.qrels").write_text(
        "".join(f"{t} {1 + n % 2} {d} {int(g) > 0:d}\n" for n, (t, _, d, g) in enumerate(lines))
    )
    (folder / "groups.txt").write_text(
        "".join(f"{name} {name.split('-')[0]}\n" for name in made.runs.systems)
    )
    (folder / "dates.txt").write_text(
        "".join(
            f"{name} engine-{n % 3} 2026-01-{10 + n}\n" for n, name in enumerate(made.runs.systems)
        )
    )
    (folder / "variants.txt").write_text(
        "".join(f"{t} {int(t) // 2} {1 + int(t) % 2}\n" for t in made.judgments.topics)
    )
    (folder / "clusters.txt").write_text(
        "".join(f"{t} {int(t) // 2}\n" for t in made.judgments.topics)
    )
    (folder / "costs.csv").write_text(
        "run,topic,latency_ms\n"
        + "".join(
            f"{name},{topic},{10 + 3 * n + int(topic) % 5}\n"
            for n, name in enumerate((*made.runs.systems, "old", "new"))
            for topic in made.judgments.topics
        )
    )
    (folder / "no-answer.txt").write_text("901\n902\n")
    (folder / "first").write_text("\n".join(made.judgments.topics[:7]))
    (folder / "sheet.tsv").write_text(f"topic\tdocument\tgrade\n{lines[0][0]}\tanother\t0\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in MADE_BEFORE:
            result = invoke(words)
            assert result.exit_code == 0, result.output
    return folder
