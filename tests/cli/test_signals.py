"""However a command is made to end, it ends: without a traceback, and with all of its workers."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

PROGRAM = [sys.executable, "-c", "from poolwise.__main__ import main; main()"]
STUDY = ("study", "leave-out", "qrels.txt", "runs", "-m", "AP", "--workers", "2")


@pytest.fixture(autouse=True)
def large(collection: Path) -> Path:
    """Put judgments and runs there that keep two workers busy for a while."""
    draw = random.Random(1)  # noqa: S311 -- no secret
    pairs = [(topic, i) for topic in range(40) for i in range(60)]
    grades = (f"{t} 0 d{i} {int(draw.random() < 0.3)}\n" for t, i in pairs)
    (collection / "qrels.txt").write_text("".join(grades))
    for path in (collection / "runs").iterdir():
        path.unlink()
    for name in "abcdef":
        lines = (f"{t} Q0 d{draw.randrange(90)}-{i} 1 {-i} {name}\n" for t, i in pairs)
        (collection / "runs" / name).write_text("".join(lines))
    return collection


def started(*words: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start poolwise with pipes, which close when the last process that holds them has ended."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*PROGRAM, *words], **pipes, **options)  # noqa: S603 -- our own interpreter


@contextmanager
def heeding(sent: signal.Signals) -> Iterator[None]:
    """Let what is started heed a signal that is ignored here, as nohup and ``&`` have it."""
    is_ignored = signal.getsignal(sent) is signal.SIG_IGN
    if is_ignored:
        signal.signal(sent, signal.SIG_DFL)
    yield
    if is_ignored:
        signal.signal(sent, signal.SIG_IGN)


def test_a_study_with_workers_ends_when_it_is_done() -> None:
    """Workers that have nothing to do any more are told so; nobody waits minutes for them."""
    with started(*STUDY, "--quiet") as study:
        out, messages = study.communicate(timeout=100)
    assert (study.returncode, messages) == (0, b"")
    assert out.startswith(b"measure\t")


@pytest.mark.parametrize("after", [0.2, 0.9, 1.4, 2.0])
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_no_worker_keeps_the_output_of_an_ended_study_open(
    sent: signal.Signals, after: float
) -> None:
    """Before its workers are there, while they start, and while they work."""
    with heeding(sent), started(*STUDY) as study:
        time.sleep(after)
        study.send_signal(sent)
        _, messages = study.communicate(timeout=15)
    assert study.returncode in (-sent, 128 + sent)
    assert b"Traceback" not in messages


AT_IMPORT = """
import signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.argv[1:] = ["evaluate", "qrels.txt", "runs", "-m", "P@2"]
from poolwise.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "name",
    [
        "click",
        "poolwise.cli.main",
        "poolwise.cli._delivery",
        "poolwise.cli.evaluate",
        "numpy",
        "poolwise.workflows._evaluate",
        "poolwise.results._columns",
    ],
)
def test_an_interruption_while_modules_load_prints_no_traceback(name: str) -> None:
    """From the first line of ours on, Ctrl-C ends the program in silence or in one word."""
    code = AT_IMPORT.format(name=name)
    with heeding(signal.SIGINT):
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603 -- ours
    assert ended.returncode in (-signal.SIGINT, 128 + signal.SIGINT), ended
    assert ended.stderr.strip() in (b"", b"Interrupted.")


def test_an_interruption_that_becomes_another_error_is_still_one() -> None:
    """A library that is being loaded may tell it as its own failure: that is no mistake of ours."""
    code = AT_IMPORT.format(name="numpy").replace(
        "signal.raise_signal(signal.SIGINT)",
        """
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                raise ImportError("half of it is loaded") from None""",
    )
    with heeding(signal.SIGINT):
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)  # noqa: S603 -- ours
    assert (ended.returncode, ended.stderr.strip()) == (128 + signal.SIGINT, b"Interrupted.")


def test_a_terminated_command_leaves_no_hidden_file(large: Path) -> None:
    """It tidies up, and ends as the signal would have ended it."""
    os.mkfifo(large / "pipe")
    with (
        started("evaluate", "qrels.txt", "pipe", "-o", "out.tsv") as command,
        (large / "pipe").open("wb") as writer,  # opens when the command reads
    ):
        writer.write(b"1 Q0 d1 1 1 x\n")
        writer.flush()
        time.sleep(0.3)
        command.send_signal(signal.SIGTERM)
        command.wait(timeout=10)
    assert command.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM)
    assert not [path for path in large.iterdir() if path.name.startswith((".", "out"))]


def test_what_nohup_ignores_stays_ignored() -> None:
    """A command in the background goes on when its terminal has gone."""

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with started(*STUDY, "--quiet", preexec_fn=ignore) as study:
        time.sleep(0.8)
        study.send_signal(signal.SIGHUP)
        study.communicate(timeout=100)
    assert study.returncode == 0
