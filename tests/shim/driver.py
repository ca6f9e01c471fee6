"""Runs commands under the shim: a process that reads what to do, line by line, and forks for each.

Started by :class:`tests.shim.disk.FaultyDisk` with the shim loaded. What a command loads is loaded
here before the fork, so that a fault costs milliseconds.
"""

import ctypes
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import Any

import vl_convert

from poolwise.cli import main as program

SHIM = ctypes.CDLL(None)
SHIM.shim_calls.restype = ctypes.c_char_p
Work = Callable[[], object]


def forked(work: Work, folder: str, how: int, point: int) -> dict[str, Any]:
    """Do something in a copy of this process, with one call to the system that fails."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        child = os.fork()
        if child == 0:
            code = 99
            try:
                os.dup2(messages.fileno(), 2)
                os.dup2(out.fileno(), 1)
                SHIM.shim_arm(os.path.realpath(folder).encode(), how, point)
                code = ended(work)
            except BaseException:  # noqa: BLE001 -- shown by the test
                traceback.print_exc()
            finally:
                os.write(out.fileno(), b"\n" + (SHIM.shim_calls() or b""))
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        messages.seek(0)
        out.seek(0)
        stderr, calls = (
            messages.read().decode("utf-8", "replace"),
            out.read().decode("utf-8", "replace"),
        )
    return {"code": code, "stderr": stderr, "calls": calls}


def ended(work: Work) -> int:
    """Return the exit code of a command."""
    try:
        work()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def command(words: list[str]) -> Work:
    """Return what runs a command of poolwise."""
    # The page of the demo takes seconds; the report is a writer of its own. A library is loaded
    # once in a process, and stays.
    sys.modules["vl_convert"] = None if words[0] == "demo" else vl_convert  # type: ignore[assignment]
    return lambda: program.main(words)


def main() -> None:
    """Answer one line with another until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    with open(os.devnull, "r+b") as nowhere:  # noqa: PTH123 -- a number is wanted
        os.dup2(nowhere.fileno(), 0)
        os.dup2(nowhere.fileno(), 1)
    for line in requests:
        asked = json.loads(line)
        os.chdir(asked["folder"])
        work = command(asked["words"])
        if asked["how"] < 0:  # loads what the command needs, and does its work
            answer = {"code": ended(work), "stderr": "", "calls": ""}
        else:
            answer = forked(work, asked["folder"], asked["how"], asked["point"])
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
