"""Commands in real terminals, started as copies of one process that has imported what they import.

To start Python and to import scipy takes longer than most commands. The process is one of its own,
since a copy of the one that runs the tests would have its streams, its threads and its settings.
"""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

__all__ = ["LOOKS", "Terminals", "terminals"]

LOOKS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
"""Colours, and what moves the cursor."""
_STARTER = """
import json, os, sys
import numpy, scipy.optimize, scipy.stats
from poolwise import workflows
from poolwise.cli.main import main

for line in sys.stdin:
    terminal, folder, around, words = json.loads(line)
    child = os.fork()
    if child == 0:
        os.setsid()
        slave = os.open(terminal, os.O_RDWR)
        for stream in range(3):
            os.dup2(slave, stream)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(around)
        code = 0
        try:
            main(words)
        except SystemExit as ended:
            code = ended.code or 0
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.write(1, b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


class Terminals:
    """Terminals of any width, in which commands run one after another."""

    def __init__(self, starter: "subprocess.Popen[bytes]") -> None:
        self._starter = starter

    def screen(self, width: int, *words: str | Path) -> list[str]:
        """Return the lines that a terminal of this width shows for a command, without colours."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        around = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        task = [os.ttyname(slave), str(Path.cwd()), around, [str(word) for word in words]]
        to, back = self._starter.stdin, self._starter.stdout
        assert to is not None
        assert back is not None
        to.write(json.dumps(task).encode() + b"\n")
        to.flush()
        shown = b""
        # What is shown is read meanwhile: a terminal holds a few lines, and a command waits.
        while back not in (ready := select.select([master, back], [], [], 120)[0]):
            assert ready, "the command does not end"
            shown += os.read(master, 1 << 16)
        back.readline()
        os.close(slave)
        with contextlib.suppress(OSError):  # the other end is closed
            while block := os.read(master, 1 << 16):
                shown += block
        os.close(master)
        lines = LOOKS.sub("", shown.decode()).split("\r\n")
        return [line.rpartition("\r")[2].rstrip() for line in lines]


@contextlib.contextmanager
def terminals() -> Iterator[Terminals]:
    """Start the process that commands are copies of, and end it."""
    command = [sys.executable, "-c", _STARTER]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as starter:  # noqa: S603 -- our own interpreter
        yield Terminals(starter)
