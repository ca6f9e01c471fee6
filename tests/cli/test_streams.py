"""Devices, pipes, full disks and limits: results arrive, or the right place is named."""

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.cli.conftest import BM25

pytestmark = [
    pytest.mark.usefixtures("collection"),
    pytest.mark.skipif(not Path("/dev/full").exists(), reason="devices of Linux"),
]

PROGRAM = [sys.executable, "-m", "poolwise"]
EVALUATE = ("evaluate", "qrels.txt", "runs", "-m", "P@2")
Command = Callable[..., Result]


def program(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run poolwise as a program of its own."""
    settings = {"capture_output": True, "timeout": 60} | options
    return subprocess.run([*PROGRAM, *words], check=False, **settings)  # noqa: S603 -- our own interpreter


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_result_goes_to_an_open_pipe_by_its_name(run: Command, name: str) -> None:
    """-o /dev/stdout is standard output, in a pipe as well."""
    expected = run(*EVALUATE).stdout.encode()
    ended = program(*EVALUATE, "-o", name)
    assert (ended.returncode, ended.stdout) == (0, expected), ended.stderr


@pytest.mark.parametrize("form", ["json", "md", "latex", "html", "csv"])
def test_every_format_goes_through_a_pipe(form: str) -> None:
    """With the record in it, where the format has a place for one."""
    ended = program(*EVALUATE, "-o", "/dev/stdout", "--format", form)
    assert ended.returncode == 0, ended.stderr
    assert (b'"command"' in ended.stdout) == (form != "csv")


def test_a_result_goes_to_a_process_of_the_shell(collection: Path, run: Command) -> None:
    """-o >(…) is how bash hands a pipe to a program."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    words = " ".join([*PROGRAM, *EVALUATE, "--quiet"])
    script = f"{words} -o >(cat > copy.tsv); sleep 0.3"
    ended = subprocess.run([bash, "-c", script], capture_output=True, check=False)  # noqa: S603 -- ours
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert (collection / "copy.tsv").read_text() == run(*EVALUATE).stdout
    assert not list(collection.glob("*.provenance.json"))


def test_what_stands_in_a_log_stays_there(collection: Path, run: Command) -> None:
    """Standard output that is a file goes on where it stands, under the name of the device, too."""
    log = collection / "log"
    log.write_text("begun\n")
    with log.open("a") as opened:
        ended = program(*EVALUATE, "-o", "/dev/stdout", stdout=opened, capture_output=False)
    assert ended.returncode == 0
    assert log.read_text() == "begun\n" + run(*EVALUATE).stdout


def test_an_open_file_that_is_none_is_told() -> None:
    """A number that nobody has opened is one sentence."""
    ended = program(*EVALUATE, "-o", "/dev/fd/77")
    assert ended.returncode == 3
    assert b"/dev/fd/77: the file cannot be written: bad file descriptor" in ended.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (EVALUATE, 0),
        ((*EVALUATE, "-o", "out.tsv"), 0),
        (("evaluate", "nowhere", "runs"), 3),
        (("evaluate", "--no-such"), 3),
        (("gate", "qrels.txt", "runs/dense.run", "--baseline", "runs/bm25.run"), 1),
    ],
)
@pytest.mark.parametrize("place", ["/dev/full", "closed pipe"])
def test_notes_that_cannot_be_written_change_no_code(
    words: tuple[str, ...], code: int, place: str
) -> None:
    """2>/dev/full, or a reader who has gone: the answer stays what it is."""
    options: dict[str, Any] = {"capture_output": False, "stdout": subprocess.PIPE}
    plain = program(*words)
    if place == "/dev/full":
        with Path(place).open("wb") as full:
            ended = program(*words, stderr=full, **options)
    else:
        reading, writing = os.pipe()
        os.close(reading)
        ended = program(*words, stderr=writing, **options)
        os.close(writing)
    assert ended.returncode == plain.returncode
    assert ended.returncode == code or words[0] == "gate"
    assert ended.stdout == plain.stdout


def limited(kind: int, limit: int) -> Callable[[], None]:
    """Return what limits a process before it begins."""
    return lambda: resource.setrlimit(kind, (limit, limit))


@pytest.mark.parametrize("megabytes", [60, 90, 120, 160, 200, 260, 330, 400, 500])
def test_no_memory_is_never_a_no(megabytes: int) -> None:
    """Whichever library runs out of it, and however it says so: 1 is the answer no."""
    ended = program(
        *EVALUATE,
        preexec_fn=limited(resource.RLIMIT_AS, megabytes << 20),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "8"},
    )
    # Python itself ends with 1 where it cannot even load what it begins with.
    assert ended.returncode != 1 or b"poolwise/cli" not in ended.stderr, ended.stderr


@pytest.mark.parametrize("number", [10, 14, 20, 30])
def test_too_few_open_files_are_told_as_such(collection: Path, number: int) -> None:
    """The hint is about the limit, not about the file."""
    for i in range(40):
        (collection / "runs" / f"r{i}.run").write_text(BM25.replace("bm25", f"r{i}"))
    for path in sorted((collection / "runs").iterdir()):
        with gzip.open(f"{path}.gz", "wb") as packed:
            packed.write(path.read_bytes())
        path.unlink()
    ended = program(*EVALUATE, preexec_fn=limited(resource.RLIMIT_NOFILE, number))
    assert ended.returncode in (0, 1, 3)
    if b"open files" in ended.stderr and b"Traceback" not in ended.stderr:
        assert ended.returncode == 3
        assert b"ulimit -n" in ended.stderr


def test_a_full_folder_of_temporary_files_is_named(
    collection: Path, run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is unpacked there cannot be, and the hint says which variable helps."""
    with gzip.open(collection / "packed.run.gz", "wb") as packed:
        packed.write(BM25.encode())
    open_file = Path.open

    def refuse(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if "w" in mode and path.name == "0":
            return open("/dev/full", mode)  # noqa: PTH123 -- in place of the method
        return open_file(path, mode, *rest, **options)

    monkeypatch.setattr(Path, "open", refuse)
    result = run("evaluate", "qrels.txt", "packed.run.gz", "-m", "P@2", "--stream")
    assert result.exit_code == 3
    assert "what is compressed is unpacked there" in result.stderr
    assert "Hint: let TMPDIR name a folder with room" in result.stderr
    assert "standard output" not in result.stderr


def test_no_folder_for_temporary_files_is_told(collection: Path) -> None:
    """Where there is none at all, the same variable helps."""
    with gzip.open(collection / "packed.run.gz", "wb") as packed:
        packed.write(BM25.encode())
    words = ("evaluate", "qrels.txt", "packed.run.gz", "-m", "P@2", "--stream")
    code = (
        "import tempfile\n"
        "def none(*a, **o): raise FileNotFoundError(2, 'No usable temporary directory found')\n"
        "tempfile.mkdtemp = none\n"
        "from poolwise.__main__ import main; main()"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False)  # noqa: S603 -- ours
    assert ended.returncode == 3, ended.stderr
    assert b"TMPDIR" in ended.stderr


def test_json_in_a_pipe_is_sealed(collection: Path, run: Command) -> None:
    """What a pipe brings into a file is ours, and can be replayed."""
    ended = program(*EVALUATE, "--format", "json")
    (collection / "out.json").write_bytes(ended.stdout)
    assert json.loads(ended.stdout)["provenance"]["seal"] != "0" * 64
    assert run("replay", "out.json").exit_code == 0
