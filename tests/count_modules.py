"""Count the modules of poolwise in which a frame executes, by command: how far a reader walks.

``python tests/count_modules.py`` prints the numbers of evaluate, compare and report on two runs of
the demo; with ``--limits`` it fails where one is above its limit. Each command is called twice in
one process, and the second call is counted: to import a module executes it, but is no walk.
"""

import argparse
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from poolwise.cli.main import main as program
from poolwise.provenance._files import make_folder
from poolwise.workflows import make_demo

__all__ = ["LIMITS", "modules_of"]

LIMITS = {"evaluate": 40, "compare": 60, "report": 100}
"""The most modules that a call may walk through."""


def demo_files(folder: Path) -> list[str]:
    """Write the demo into a folder; return its judgments and the first two of its runs."""
    _, files = make_demo(folder)
    for path, content in files.items():
        make_folder(path.parent)
        path.write_bytes(content)
    runs = sorted(str(path) for path in files if path.parent.name == "runs")
    return [str(folder / "qrels.txt"), *runs[:2]]


def call(words: Sequence[str]) -> None:
    """Call a command as the program does, without what it prints."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        program(list(words), standalone_mode=False)


@contextlib.contextmanager
def executed() -> Iterator[set[str]]:
    """Collect the modules of poolwise in which a frame starts meanwhile."""
    modules: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            name = str(frame.f_globals.get("__name__", ""))
            if name.partition(".")[0] == "poolwise":
                modules.add(name)

    # Files are hashed by threads of their own, which are part of the walk.
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield modules
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def modules_of(command: str) -> set[str]:
    """Return the modules in which frames execute in the second call of a command."""
    with tempfile.TemporaryDirectory() as folder:
        page = ["--output", f"{folder}/report.html"] if command == "report" else []
        words = [command, *demo_files(Path(folder) / "demo"), *page]
        call(words)
        with executed() as modules:
            call(words)
    return modules


def main() -> None:
    """Print the numbers; with ``--limits`` end with 1 where one is too large."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", action="store_true", help="Fail above the limits.")
    parser.add_argument("--names", action="store_true", help="Print the modules, too.")
    asked = parser.parse_args()
    walked = {command: modules_of(command) for command in LIMITS}
    for command, modules in walked.items():
        names = "".join(f"  {name}\n" for name in sorted(modules)) if asked.names else ""
        sys.stdout.write(f"{command} {len(modules)}\n{names}")
    if asked.limits and any(len(walked[command]) > most for command, most in LIMITS.items()):
        sys.exit(1)


if __name__ == "__main__":
    main()
