"""A small collection to try things on, written as files."""

from pathlib import Path

from poolwise.collection.files.writers import write_judgments, write_run
from poolwise.collection.simulation import Simulated, simulate

__all__ = ["write_demo"]


def write_demo(folder: str | Path, *, rng: int = 8) -> Simulated:
    """Make a small collection, and write its qrels and runs into a folder.

    Some systems took part in the pool, and some came later and return documents that nobody
    judged; the complete judgments are known, since everything is simulated.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = write_demo(folder)
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['qrels.txt', 'runs']
    """
    made = simulate(systems=12, topics=50, depth=200, rng=rng)
    runs = Path(folder) / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    write_judgments(made.judgments, Path(folder) / "qrels.txt")
    for system in made.runs.systems:
        write_run(made.runs, system, runs / f"{system}.run")
    return made
