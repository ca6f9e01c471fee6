"""Run what the pages show: ``python docs/consoles.py [--write] [PAGE…]``.

The commands of a page's ``console`` blocks run one after another in a folder that holds the demo
collection, in a terminal of 80 columns, and what they print is compared with what the page shows.
A line ``…`` of the page stands for any lines. A command without output on the page must succeed,
and is not compared. ``--write`` puts what was printed into the page where it differs.

Commands that set poolwise up (pip, make) are not run.
"""

import argparse
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Step", "compare", "pages", "run_page", "steps_of"]

DOCS = Path(__file__).resolve().parent
_RUN = ("poolwise", "printf", "cat", "head", "cut", "python")
"""Programs that pages show at work."""
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """A command of a page, and what the page shows below it."""

    command: str
    shown: tuple[str, ...]

    @property
    def runs(self) -> bool:
        """Whether the command is run: it does not set poolwise up, and has no placeholder."""
        return self.command.split()[0] in _RUN and not re.search(r"\b[A-Z]{4,}\b|…", self.command)


def pages() -> list[Path]:
    """Return every page that is written by hand, and the README."""
    own = (page for page in DOCS.rglob("*.md") if "generated" not in page.parts)
    return [DOCS.parent / "README.md", *sorted(own)]


def steps_of(text: str) -> Iterator[Step]:
    r"""Yield the commands of a page, with the lines shown below each.

    Examples
    --------
    >>> page = "```console\n$ poolwise --version   # which one?\npoolwise, version 1\n```\n"
    >>> list(steps_of(page))
    [Step(command='poolwise --version', shown=('poolwise, version 1',))]
    """
    for block in _BLOCK.finditer(text):
        for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield Step(command.partition("   #")[0].strip(), tuple(shown))


def run_page(page: Path, folder: Path) -> Iterator[tuple[Step, list[str]]]:
    """Run the commands and the Python of a page in a folder; yield each command's lines."""
    text = page.read_text(encoding="utf-8")
    for step in steps_of(text):
        if step.runs:
            yield step, _printed(step.command, folder)
    code = "\n".join(block[1] for block in _PYTHON.finditer(text))
    if code:
        _execute(code, folder)


def compare(step: Step, printed: list[str]) -> bool:
    """Whether a page shows what was printed; ``…`` stands for any lines.

    Examples
    --------
    >>> compare(Step("poolwise", ("a", "…", "d")), ["a", "b", "c", "d"])
    True
    """
    if not step.shown:
        return True
    pattern = "\n".join(
        r".*(?:\n.*)*" if line.strip() == "…" else re.escape(line.rstrip()) for line in step.shown
    )
    return (
        re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed).strip("\n")) is not None
    )


def demo_folder(folder: Path) -> Path:
    """Put the demo collection into a folder, as the first page has people do."""
    subprocess.run(  # noqa: S603 -- our own command
        [*_poolwise(), "demo", "--output", "demo"], cwd=folder, check=True, capture_output=True
    )
    return folder


def _poolwise() -> list[str]:
    return [sys.executable, "-m", "poolwise"]


def _printed(command: str, folder: Path) -> list[str]:
    """Return what a command prints in a terminal of 80 columns; errors only where it fails."""
    ours, theirs = pty.openpty()
    words = command.replace("poolwise", " ".join(_poolwise()), 1)
    # A terminal that can do nothing has 80 columns and no colours.
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "80", "NO_COLOR": "1"}
    process = subprocess.Popen(  # noqa: S602 -- the pages' own commands
        words if command.startswith("poolwise") else command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    output = b"".join(_read_all(ours))
    errors = process.communicate()[1]
    failed = errors if process.returncode else b""
    return (output + failed).decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def _read_all(terminal: int) -> Iterator[bytes]:
    """Yield what comes from a terminal until the other side is gone."""
    while True:
        try:
            found = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says so
            found = b""
        if not found:
            os.close(terminal)
            return
        yield found


def _execute(code: str, folder: Path) -> None:
    subprocess.run(  # noqa: S603 -- the pages' own code
        [sys.executable, "-c", code], cwd=folder, check=True, capture_output=True
    )


def _rewritten(page: Path, folder: Path) -> str:
    """Return the page with what its commands print now, where it showed something else."""
    text = page.read_text(encoding="utf-8")
    for step, printed in run_page(page, folder):
        if not compare(step, printed):
            old = "\n".join(step.shown)
            new = "\n".join(line.rstrip() for line in printed).strip("\n")
            text = text.replace(f"{step.command}\n{old}", f"{step.command}\n{new}", 1)
    return text


def main() -> None:
    """Run pages, and say or write what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        demo_folder(Path(scratch))
        for page in options.pages or pages():
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(scratch, folder, dirs_exist_ok=True)
                if options.write:
                    page.write_text(_rewritten(page, Path(folder)), encoding="utf-8")
                    continue
                for step, printed in run_page(page, Path(folder)):
                    if not compare(step, printed):
                        print(f"{page}: {step.command}", *printed, sep="\n")  # noqa: T201 -- a script


if __name__ == "__main__":
    main()
