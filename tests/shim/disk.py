"""A disk that is full, breaks or loses power at the n-th call, under any command that writes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["FAULTS", "Ending", "FaultyDisk", "built_shim"]

FAULTS = {"kill": 1, "full": 2, "broken": 3, "short": 4, "power": 5}
"""What can happen, as ``shim.c`` numbers it."""
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Ending:
    """How a command ended, and the calls by which it changed files, in order."""

    code: int
    stderr: str
    calls: tuple[tuple[str, str], ...]

    @property
    def points(self) -> int:
        """The number of calls that can meet a fault."""
        return sum(name != "answer" for name, _ in self.calls)


def built_shim(folder: Path) -> Path:
    """Compile the shim, or skip where there is no compiler, or no system that would load it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("the shim needs Linux and a C compiler")
    library = folder / "shim.so"
    words = [
        compiler,
        "-O1",
        "-Wall",
        "-shared",
        "-fPIC",
        str(_HERE / "shim.c"),
        "-o",
        str(library),
    ]
    built = subprocess.run([*words, "-ldl"], capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    assert built.returncode == 0, built.stderr
    return library


class FaultyDisk:
    """Runs commands with a fault at one of their calls; see :data:`FAULTS`."""

    def __init__(self, library: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 -- our own interpreter
            [sys.executable, str(_HERE / "driver.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "LD_PRELOAD": str(library), "OPENBLAS_NUM_THREADS": "1"},
        )

    def load(self, folder: Path, words: Sequence[str]) -> int:
        """Run a command without a fault, and keep what it has loaded for the next."""
        return self._asked(folder, words, -1, 0).code

    def run(self, folder: Path, words: Sequence[str], fault: str = "", point: int = 0) -> Ending:
        """Run a command; its call of this number, from 1, meets the fault."""
        return self._asked(folder, words, FAULTS.get(fault, 0), point)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def _asked(self, folder: Path, words: Sequence[str], how: int, point: int) -> Ending:
        process = self._process
        assert process.stdin
        assert process.stdout
        asked = {"folder": str(folder), "words": list(words), "how": how, "point": point}
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        lines = (line.partition(" ") for line in answer["calls"].splitlines() if " /" in line)
        calls = tuple((name, path) for name, _, path in lines if name in _CALLS)
        return Ending(answer["code"], answer["stderr"], calls)


_CALLS = ("open", "write", "fsync", "rename", "link", "unlink", "mkdir", "truncate", "answer")
