"""Run what the pages show: ``python docs/consoles.py [--write] [PAGE…]``.

The blocks of a page run one after another in a folder that holds the demo collection:

- the commands of ``console`` blocks, in a terminal of 80 columns. What they print is compared with
  what the page shows; a line ``…`` of the page stands for any lines. A command without output on a
  page must succeed, and is not compared. Commands that set poolwise up (pip, make) are not run.
- ``python`` blocks, each by itself;
- sessions (``pycon`` blocks), all of a page together, at the end, as doctests.

``--write`` puts what was printed into the page where it differs. Else the exit code is 1 where
something differs or fails.
"""

import argparse
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

__all__ = ["Step", "abridged", "compare", "pages", "run_page", "steps_of"]

DOCS = Path(__file__).resolve().parent
_RUN = ("poolwise", "printf", "cat", "head", "cut", "python", "ir_measures")
"""Programs that pages show at work."""
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LEFT_OUT = "…"
"""A line that stands for lines which a page leaves out."""
_WRONG_INPUT = 3
"""The least exit code that is no answer."""
_TESTED_ELSEWHERE = frozenset({"many-machines.md"})
"""Pages whose blocks need more than the demo collection: a test of their own runs them."""


class PageError(Exception):
    """A block of a page that does not run."""


@dataclass(frozen=True)
class Step:
    """A command of a page, and what the page shows below it."""

    command: str
    shown: tuple[str, ...]

    @property
    def runs(self) -> bool:
        """Whether the command is run: it does not set poolwise up, and has no placeholder."""
        # SDCG@10 is a measure, and FILE is none
        named = re.search(r"\b[A-Z]{4,}\b(?!@)|…", self.command)
        return self.command.split()[0] in _RUN and not named


def pages() -> list[Path]:
    """Return every page that is written by hand and has blocks to run, and the README."""
    own = (page for page in DOCS.rglob("*.md") if "generated" not in page.parts)
    paths = [DOCS.parent / "README.md", *sorted(own)]
    return [page for page in paths if page.name not in _TESTED_ELSEWHERE and _has_blocks(page)]


def steps_of(text: str) -> Iterator[Step]:
    r"""Yield the commands of a page, with the lines shown below each.

    Examples
    --------
    >>> page = "```console\n$ poolwise --version   # which one?\npoolwise, version 1\n```\n"
    >>> list(steps_of(page))
    [Step(command='poolwise --version', shown=('poolwise, version 1',))]
    """
    for language, block in _blocks(text):
        if language == "console":
            yield from _steps(block)


def run_page(page: Path, folder: Path) -> Iterator[tuple[Step, list[str]]]:
    """Run the commands and the Python of a page in a folder; yield each command's lines."""
    text = page.read_text(encoding="utf-8")
    for language, block in _blocks(text):
        if language == "python":
            _execute(["-c", block], folder)
        else:
            runs = (step for step in _steps(block) if step.runs)
            yield from ((step, _printed(step, folder)) for step in runs)
    if _sessions(text):
        _execute(["-m", "doctest", "-o", "NORMALIZE_WHITESPACE", str(page)], folder)


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
        r".*(?:\n.*)*" if line.strip() == _LEFT_OUT else re.escape(_trimmed(line))
        for line in step.shown
    )
    return re.fullmatch(pattern, "\n".join(map(_trimmed, printed)).strip("\n")) is not None


def _trimmed(line: str) -> str:
    """Return a line without what trails; rich before 14.3 draws a rule one character longer."""
    return re.sub("^─+$", "─", line.rstrip())


def demo_folder(folder: Path) -> Path:
    """Put the demo collection into a folder, as the first page has people do."""
    subprocess.run(  # noqa: S603 -- our own command
        [*_poolwise(), "demo", "--output", "demo"], cwd=folder, check=True, capture_output=True
    )
    return folder


def _has_blocks(page: Path) -> bool:
    text = page.read_text(encoding="utf-8")
    return _sessions(text) or any(
        language == "python" or any(step.runs for step in _steps(block))
        for language, block in _blocks(text)
    )


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the language and the text of each block that runs, in the order of the page."""
    return ((block[1], block[2]) for block in _BLOCK.finditer(text))


def _steps(block: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *shown = part.rstrip("\n").split("\n")
        yield Step(command.partition("   #")[0].strip(), tuple(shown))


def _sessions(text: str) -> bool:
    return "```pycon\n" in text


def _poolwise() -> list[str]:
    return [sys.executable, "-m", "poolwise"]


def _printed(step: Step, folder: Path) -> list[str]:
    """Return what a command prints in a terminal of 80 columns; errors only where it fails."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(  # noqa: S602 -- the pages' own commands
        re.sub(r"^poolwise", " ".join(_poolwise()), step.command),
        shell=True,
        cwd=folder,
        env=_environment(),
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    output = b"".join(_read_all(ours))
    errors = process.communicate()[1].decode()
    if process.returncode >= _WRONG_INPUT and not step.shown:
        raise PageError(f"{step.command}\n{errors}")
    failed = errors if process.returncode else ""
    return (output.decode() + failed).replace("\r\n", "\n").rstrip("\n").split("\n")


def _environment() -> dict[str, str]:
    """Return that of a terminal that can do nothing: it has 80 columns and no colours."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": tools, "TERM": "dumb", "COLUMNS": "80", "NO_COLOR": "1"}


def _read_all(terminal: int) -> Iterator[bytes]:
    """Yield what comes from a terminal until the other side is gone."""
    while True:
        try:
            output = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says so
            output = b""
        if not output:
            os.close(terminal)
            return
        yield output


def _execute(arguments: list[str], folder: Path) -> None:
    """Run Python in a folder, and say what it printed where it fails."""
    done = subprocess.run(  # noqa: S603 -- the pages' own code
        [sys.executable, *arguments],
        cwd=folder,
        env=_environment(),
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise PageError(f"{done.stdout}{done.stderr}")


def _rewritten(page: Path, folder: Path) -> str:
    """Return the page with what its commands print now, where it showed something else."""
    text = page.read_text(encoding="utf-8")
    for step, printed in run_page(page, folder):
        if not compare(step, printed):
            old = "\n".join(step.shown)
            lines = "\n".join(line.rstrip() for line in printed).strip("\n").split("\n")
            new = "\n".join(abridged(step.shown, lines))
            text = text.replace(f"{step.command}\n{old}", f"{step.command}\n{new}", 1)
    return text


def abridged(shown: Sequence[str], printed: Sequence[str]) -> list[str]:
    """Return what is printed now without the lines that a page left out before.

    Examples
    --------
    >>> abridged(["old title", "a", "…", "d"], ["new title", "a", "b", "c", "d"])
    ['new title', 'a', '…', 'd']
    """
    lines: list[str] = []
    for kind, i, j, k, n in SequenceMatcher(None, shown, printed, autojunk=False).get_opcodes():
        before, now = list(shown[i:j]), list(printed[k:n])
        if kind == "equal" or _LEFT_OUT not in before:
            lines += now
        elif now:
            first = before.index(_LEFT_OUT)
            last = len(before) - before[::-1].index(_LEFT_OUT)
            after = min(len(before) - last, max(len(now) - first, 0))
            lines += [*now[:first], _LEFT_OUT, *now[len(now) - after :]]
    return lines


def _differences(page: Path, folder: Path) -> Iterator[str]:
    """Yield what a page shows otherwise than it happens."""
    try:
        for step, printed in run_page(page, folder):
            if not compare(step, printed):
                yield "\n".join([f"{page}: {step.command}", *printed])
    except PageError as error:
        yield f"{page}: {error}"


def main() -> int:
    """Run pages, and say or write what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    differences = []
    with tempfile.TemporaryDirectory() as scratch:
        demo_folder(Path(scratch))
        for page in options.pages or pages():
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(scratch, folder, dirs_exist_ok=True)
                if options.write:
                    page.write_text(_rewritten(page.resolve(), Path(folder)), encoding="utf-8")
                else:
                    differences += _differences(page.resolve(), Path(folder))
    print(*differences, sep="\n\n", end="\n" if differences else "")  # noqa: T201 -- a script
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
