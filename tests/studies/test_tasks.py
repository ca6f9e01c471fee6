"""Workers: they end with whoever started them, and their end is told."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from poolwise import PoolwiseError
from poolwise.errors import OptionError, ResourceError
from poolwise.studies._tasks import run_tasks, spawn_seeds

WAITING = """
import os, time
from pathlib import Path
from poolwise.studies._tasks import run_tasks

def work(name):
    Path(name).write_text(str(os.getpid()))
    time.sleep(60)

run_tasks(work, [("first",), ("second",)], workers=2, progress=None)
"""


def die(_number: int) -> None:
    """End the process that works, as a system without memory would."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_dead_worker_is_one_sentence() -> None:
    """A worker that was killed is told, with what to do."""
    with pytest.raises(ResourceError, match="a worker ended before its work was done") as raised:
        run_tasks(die, [(1,), (2,)], workers=2, progress=None)
    assert isinstance(raised.value, PoolwiseError)
    assert "Hint: use fewer workers" in str(raised.value)


@pytest.mark.parametrize("workers", [0, 1.5, "two", "all"])
def test_workers_are_counted_in_whole_numbers(workers: object) -> None:
    """Half a worker is none."""
    with pytest.raises(OptionError, match="workers: must be a whole number other than 0"):
        run_tasks(pow, [(2, 3)], workers=workers, progress=None)  # type: ignore[arg-type] # what is wrong here


def test_a_seed_is_checked() -> None:
    """A seed below 0 is told as such."""
    with pytest.raises(OptionError, match="rng: a seed is a whole number from 0 up"):
        spawn_seeds(-1, 2)


def is_alive(process: int) -> bool:
    """Say whether a process is there, and not merely waiting to be counted out."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def until(holds: object, *, within: float) -> bool:
    """Wait until something holds, and say whether it came to hold."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if holds():  # type: ignore[operator] # a function without arguments
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_its_parent(tmp_path: Path, sent: signal.Signals) -> None:
    """However the parent ends, its workers are gone soon after."""
    script = tmp_path / "script.py"
    script.write_text(WAITING)
    names = [tmp_path / "first", tmp_path / "second"]
    options = {"cwd": tmp_path, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, script], **options) as parent:  # noqa: S603 -- our own interpreter
        assert until(lambda: all(n.exists() and n.read_text() for n in names), within=30)
        workers = [int(name.read_text()) for name in names]
        # Python drops an interruption that meets a destructor: then a user tries again.
        for _ in range(3):
            parent.send_signal(sent)
            if until(lambda: parent.poll() is not None, within=10):
                break
        parent.wait(timeout=1)
    assert until(lambda: not any(map(is_alive, workers)), within=3)
