"""However a command ends, it ends with a sentence and the exit code that says so."""

import contextlib
import errno
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import click
import pytest
from click.testing import Result
from tests.cli.conftest import BM25

from poolwise import InputError, parse_measure, workflows
from poolwise.cli import _program
from poolwise.cli._program import ExitCode, ReaderGoneError, ending_of
from poolwise.cli.main import main
from poolwise.measures import CATALOGUE, DIVERSITY, SAMPLED
from poolwise.measures._catalogue import Entry

pytestmark = pytest.mark.usefixtures("collection")

Command = Callable[..., Result]
PROGRAM = [sys.executable, "-c", "from poolwise.cli.main import main; main()"]
EVALUATE = ("evaluate", "qrels.txt", "runs", "-m", "AP")
ODD = b"1 Q0 a 1 1 caf\xe9\x1b[2J\n"
"""A run whose tag is not UTF-8, and clears the screen."""


def program(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run poolwise as a program of its own."""
    settings = {"capture_output": True, "timeout": 60} | options
    return subprocess.run([*PROGRAM, *words], check=False, **settings)  # noqa: S603 -- our own interpreter


def test_success_is_0(run: Command) -> None:
    """What is done is done."""
    assert run(*EVALUATE).exit_code == 0
    assert run("--help").exit_code == 0
    assert run("evaluate", "-h").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-command",),
        ("evaluate",),
        ("evaluate", "qrels.txt", "runs", "--no-such-option"),
        ("evaluate", "qrels.txt", "runs", "--topics", "odd"),
        ("compare", "qrels.txt", "runs", "--seed", "-1"),
        ("compare", "qrels.txt", "runs", "--seed", "x"),
        ("study", "no-such-study"),
        ("power", "--scores", "x.csv", "--delta", "0.1"),
    ],
)
def test_wrong_use_is_3(run: Command, words: tuple[str, ...]) -> None:
    """What click finds wrong has the code of wrong input, too, and no traceback."""
    result = run(*words)
    assert result.exit_code == 3
    assert "Error: " in result.stderr
    assert result.stdout == ""


def test_wrong_input_is_3(run: Command) -> None:
    """A file that is not there is one sentence with a hint."""
    result = run("evaluate", "qrels.txt", "nowhere.run")
    assert result.exit_code == 3
    assert result.stderr.startswith("Error: nowhere.run: the file must exist. Hint: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("level", [2, 3])
def test_a_level_that_no_grade_reaches_is_no_mistake_of_ours(
    collection: Path, run: Command, level: int
) -> None:
    """On binary judgments no measure of the catalogues fails for want of a relevant document."""
    (collection / "binary.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 d 1\n")
    (collection / "sampled.txt").write_text("1 0 a 1 1\n1 0 b 1 0\n1 0 c 1 -1\n2 0 d 1 1\n")
    (collection / "subtopics.txt").write_text("1 1 a 1\n1 2 b 0\n2 1 d 1\n")
    for judged, catalogue, commands in (
        ("binary.txt", CATALOGUE, ("evaluate", "compare", "estimate")),
        ("sampled.txt", SAMPLED, ("evaluate",)),
        ("subtopics.txt", DIVERSITY, ("diversity",)),
    ):
        for measure, command in product(leveled(catalogue, level), commands):
            result = run(command, judged, "runs", "-m", measure)
            # To compare runs it takes a topic with a score, and the error says that there is none.
            left_out = result.exit_code == 3 and "a comparison needs a topic" in result.stderr
            assert result.exit_code == 0 or left_out, (command, measure, result.stderr)


def leveled(catalogue: Iterable[Entry], level: int) -> list[str]:
    """Return the names of the measures that have a level of relevance, at this one."""
    measures = [parse_measure(name) for entry in catalogue for name in entry.examples]
    binary = [m for m in measures if m.parameters().get("gain", "binary") == "binary"]
    return sorted({repr(m(rel=level)) for m in binary if "rel" in m.parameters()})


def broken(error: BaseException) -> Callable[..., None]:
    """Return a workflow that fails."""

    def fail(*_args: object, **_options: object) -> None:
        raise error

    return fail


def test_a_fault_of_ours_is_4(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short text says how to report it; the traceback comes with --debug."""
    monkeypatch.setattr(workflows, "evaluate", broken(KeyError("nDCG")))
    result = run(*EVALUATE)
    assert result.exit_code == 4
    assert "poolwise made a mistake of its own: KeyError: 'nDCG'." in result.stderr
    assert "`poolwise --debug`" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in run("--debug", *EVALUATE).stderr


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InputError("x.run:3", "a rule", remedy="a remedy"), 3, "x.run:3: a rule. Hint: a remedy."),
        (MemoryError(), 3, "there is not enough memory for this. Hint: "),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (EOFError(), 3, "standard input ended too soon. Hint: "),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 3, "x: permission denied. Hint:"),
        (RecursionError("too deep"), 4, "RecursionError: too deep"),
    ],
)
def test_every_failure_has_its_code(
    run: Command, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, message: str
) -> None:
    """Wrong input is 3, our fault 4, interruption 130."""
    monkeypatch.setattr(workflows, "evaluate", broken(error))
    result = run(*EVALUATE)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_command_that_cannot_write_leaves_no_file_open(run: Command) -> None:
    """Whoever runs many commands in one process does not run out of files."""
    refused = (*EVALUATE, "--output", "qrels.txt")
    assert run(*refused).exit_code == 3
    before = len([*Path("/dev/fd").iterdir()])
    assert run(*refused).exit_code == 3
    assert len([*Path("/dev/fd").iterdir()]) == before


def test_without_click_errors_are_raised() -> None:
    """Whoever calls the command from Python gets the exception."""
    with pytest.raises(InputError):
        main(["evaluate", "qrels.txt", "nowhere.run"], standalone_mode=False)
    with pytest.raises(click.UsageError):
        main(["evaluate"], standalone_mode=False)


# ---- streams


@pytest.mark.parametrize("form", ["tsv", "table", "json"])
def test_a_full_disk_behind_standard_output_is_told(form: str) -> None:
    """Nothing is lost in silence."""
    with Path("/dev/full").open("wb") as full:
        ended = program(
            *EVALUATE, "--format", form, capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert ended.returncode == 3
    assert b"standard output: no space left on device. Hint: make room" in ended.stderr
    assert b"Traceback" not in ended.stderr
    assert b"Exception ignored" not in ended.stderr


def shell(command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of the shell in which POOLWISE is our program."""
    line = command.replace("POOLWISE", f"{PROGRAM[0]} -c '{PROGRAM[2]}'")
    return subprocess.run(["bash", "-c", line], capture_output=True, check=False)  # noqa: S603, S607 -- our own words


def test_a_closed_standard_output_is_told() -> None:
    """Silence is not taken for a result."""
    ended = shell("POOLWISE evaluate qrels.txt runs -m AP >&-")
    assert ended.returncode == 3
    assert b"standard output: it must be open. Hint: write to a file" in ended.stderr


def test_a_closed_standard_input_is_told() -> None:
    """A run that should come from there does not."""
    ended = shell("POOLWISE evaluate qrels.txt - <&-")
    assert ended.returncode == 3
    assert b"standard input must be open. Hint: name a file" in ended.stderr


def test_a_closed_standard_error_harms_nobody() -> None:
    """The result is printed, and no file takes the place of the stream."""
    ended = shell("POOLWISE evaluate qrels.txt runs -m AP 2>&-")
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"run\t")


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    """A pipe that ends early ends the command quietly."""
    ended = shell("set -o pipefail; POOLWISE study swaps -h >/dev/null; POOLWISE measures | true")
    assert ended.returncode == 0
    assert ended.stderr == b""


@pytest.mark.parametrize("gone", [BrokenPipeError, ReaderGoneError])
def test_a_reader_who_is_gone_ends_a_command_with_0(
    gone: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the two tells it: what was asked for is done, and the rest is dropped."""

    def call() -> None:
        sys.stdout.write("nobody reads this\n")
        raise gone

    with (tmp_path / "pipe").open("w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert ending_of(call) == ExitCode.DONE
        monkeypatch.undo()
    assert not (tmp_path / "pipe").stat().st_size


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        (SystemExit(3), 3),
        (SystemExit("done"), ExitCode.DONE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (InputError("qrels", "it is wrong"), ExitCode.WRONG_INPUT),
        (ZeroDivisionError(), ExitCode.OUR_FAULT),
    ],
)
def test_whatever_ends_a_command_has_its_code(ending: BaseException, code: int) -> None:
    """A shell that asks for completion, Ctrl-C, an error of the user and one of ours."""

    def call() -> None:
        raise ending

    assert ending_of(call) == code


def test_an_error_after_an_interruption_is_the_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a library makes of Ctrl-C is not told as a mistake."""
    monkeypatch.setattr(_program, "_INTERRUPTED", Event())

    def call() -> None:
        with contextlib.suppress(KeyboardInterrupt):
            _program._interrupt(signal.SIGINT, None)
        raise ImportError("half of it is loaded")

    assert ending_of(call) == ExitCode.INTERRUPTED
    assert capsys.readouterr().err == "Interrupted.\n"


def test_names_that_are_not_utf8_print_on_every_terminal(collection: Path) -> None:
    """A strict old encoding gets escapes; a pipe gets the bytes of the file back."""
    (collection / "odd.run").write_bytes(ODD)
    strict = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict"}
    words = ("evaluate", "qrels.txt", "odd.run", "-m", "AP", "--format")
    table = program(*words, "table", env=strict)
    assert table.returncode == 0, table.stderr
    assert b"caf\\xe9\\x1b[2J" in table.stdout
    assert b"\x1b" not in table.stdout + table.stderr
    assert b"caf\xe9\x1b[2J" in program(*words, "tsv", env=strict).stdout
    assert b'"caf\\udce9\\u001b[2J"' in program(*words, "json", env=strict).stdout


def on_terminal(*words: str) -> bytes:
    """Return what a command writes to a terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen([*PROGRAM, *words], stdout=slave, stderr=slave, stdin=slave) as started:  # noqa: S603 -- our own interpreter
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed when the command ends
            while block := os.read(master, 1 << 16):
                shown += block
        started.wait(timeout=60)
    os.close(master)
    return shown


@pytest.mark.parametrize("form", ["tsv", "table"])
def test_a_terminal_is_never_commanded_by_a_file(collection: Path, form: str) -> None:
    """Control characters of a tag are shown, in errors as well."""
    (collection / "odd.run").write_bytes(ODD)
    shown = on_terminal("evaluate", "qrels.txt", "odd.run", "-m", "AP", "--format", form)
    assert b"\\x1b[2J" in shown
    assert b"\x1b[2J" not in shown


def test_a_path_does_not_command_the_terminal(run: Command) -> None:
    """An error names a path with its control characters as escapes."""
    result = run("evaluate", "qrels.txt", "no\x1bwhere")
    assert "no\\x1bwhere: the file must exist" in result.stderr


# ---- limits and signals


def limited(limit: int) -> Callable[[], None]:
    """Return what limits the addresses of a process."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def test_a_report_under_a_limit_of_memory_says_so(collection: Path) -> None:
    """The engine behind the charts would end the process."""
    pytest.importorskip("vl_convert")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    ended = program("report", "qrels.txt", "runs", preexec_fn=limited(2 << 30), env=environment)
    assert ended.returncode == 3, ended.stderr
    assert b"the limit is 2 GB. Hint: raise it (ulimit -v unlimited)" in ended.stderr
    assert not (collection / "report.html").exists()


def test_an_interrupted_read_ends_soon_with_130(collection: Path) -> None:
    """Ctrl-C ends a command within half a second, while it waits for its input, too."""
    os.mkfifo(collection / "pipe")
    words, quiet = ("evaluate", "qrels.txt", "pipe"), subprocess.DEVNULL
    with (
        subprocess.Popen([*PROGRAM, *words], stdout=quiet, stderr=quiet) as started,  # noqa: S603 -- our own interpreter
        (collection / "pipe").open("wb") as writer,  # opens when the command reads
    ):
        writer.write(BM25.encode())
        writer.flush()
        time.sleep(0.3)
        started.send_signal(signal.SIGINT)
        begun = time.monotonic()
        code = started.wait(timeout=20)
        waited = time.monotonic() - begun
    assert code == 130
    assert waited < 2  # half a second, and what a busy machine adds


def test_warnings_of_libraries_never_reach_the_user() -> None:
    """A program is silent about what its libraries warn of."""
    code = (
        "import numpy as np; from poolwise import workflows as w; real = w.evaluate\n"
        "def noisy(*a, **o): np.divide(1.0, np.zeros(1)); return real(*a, **o)\n"
        "w.evaluate = noisy; from poolwise.cli.main import main; main()"
    )
    ended = subprocess.run([sys.executable, "-c", code, *EVALUATE], capture_output=True, check=True)  # noqa: S603 -- our own interpreter
    assert b"divide" not in ended.stderr


def test_the_documented_codes_are_those_in_force() -> None:
    """The page about output lists every code, and no other."""
    page = Path(__file__).parents[2] / "docs" / "output.md"
    listed = re.findall(r"^\| (\d+) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(code) for code in listed] == list(ExitCode)
