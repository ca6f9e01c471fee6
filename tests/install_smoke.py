"""Install what was built where no compiler is, and try it: ``python tests/install_smoke.py dist``.

The wheel brings its native libraries. The source archive finds nothing to make them with, so that
poolwise runs without, and has to pass the tests of its readers.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IN_USE = "The native library is in use."
NOT_IN_USE = "The native library is not in use"
READER_TESTS = ("tests/collection", "tests/hostile/test_files.py")
READER_TESTS_NEED = (
    *("fsspec", "hypothesis", "pandas", "polars", "pyarrow", "pytest", "pytrec-eval-terrier"),
    *("pyyaml", "zstandard"),
)


class Environment:
    """An environment in which nothing is found but what is installed into it."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.folder = folder
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")

    def run(self, *command: str, at: Path | None = None) -> str:
        """Run one of its programs, show what it says, and return that."""
        # CMake looks into the system's folders as well as into PATH, but not if CXX names one.
        alone = {"PATH": str(self.programs), "CC": "no-compiler", "CXX": "no-compiler"}
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        program, *arguments = command
        ran = subprocess.run(  # noqa: S603 -- our own commands
            [self.programs / program, *arguments],
            cwd=at or self.folder,
            env=kept | alone,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        say(ran.stdout)
        ran.check_returncode()
        return ran.stdout

    def install(self, *packages: str) -> None:
        """Install packages, with whatever they need."""
        self.run("python", "-m", "pip", "install", "--quiet", *packages)


def say(text: str) -> None:
    """Print at once, so that it stands in order with what programs print themselves."""
    print(text, flush=True)  # noqa: T201 -- a script that reports


@contextmanager
def installed(package: Path, extra: str = "report") -> Iterator[Environment]:
    """Install a package with what an extra needs into an environment that is removed at last."""
    say(f"{package.name}[{extra}], without a compiler")
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(Path(folder, "environment"))
        environment.install(f"{package.resolve()}[{extra}]")
        yield environment


def try_out(environment: Environment, version: str) -> None:
    """Run the demo, and score a collection by the command and by the library."""
    assert version in environment.run("poolwise", "--version")
    assert "Report: " in environment.run("poolwise", "demo", "--output", "demo")
    assert (environment.folder / "demo/report.html").stat().st_size > 100_000
    environment.run("python", _beside("wheel_smoke.py"))


def try_judging(environment: Environment) -> None:
    """Open the judging room, with nothing installed but what it needs."""
    assert "the judging room opens here" in environment.run("python", _beside("judging_smoke.py"))


def _beside(script: str) -> str:
    return str(Path(__file__).with_name(script).resolve())


def try_readers(environment: Environment, archive: Path) -> None:
    """Run the tests of the archive that are about files, on the package that is installed."""
    environment.install(*READER_TESTS_NEED)
    with tarfile.open(archive) as packed:
        packed.extractall(environment.folder, filter="data")
    (unpacked,) = environment.folder.glob("poolwise-*")
    environment.run("python", "-m", "pytest", "-p", "no:cacheprovider", *READER_TESTS, at=unpacked)


def main(dist: Path) -> None:
    """Try the wheel, then the source archive."""
    (wheel,), (archive,) = dist.glob("poolwise-*.whl"), dist.glob("poolwise-*.tar.gz")
    with installed(wheel) as environment:
        try_out(environment, IN_USE)
    with installed(wheel, "judging") as environment:
        try_judging(environment)
    with installed(archive) as environment:
        try_out(environment, NOT_IN_USE)
        try_readers(environment, archive)
    say("Both install and run where no compiler is.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
