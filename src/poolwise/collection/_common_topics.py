"""Topics on which runs were judged for their own sake, and the file that records them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from poolwise.collection.files._sources import lines_of
from poolwise.errors import InputError
from poolwise.provenance._recorded import recorded
from poolwise.words import counted

__all__ = ["HEADING", "CommonTopics", "read_common_topics"]

HEADING = ("run", "topic", "depth", "seed")
"""The columns of the file, in this order, with tabs between them."""


@dataclass(frozen=True)
class CommonTopics:
    """Topics that were drawn at random, on which the first documents of runs are judged.

    From what a run gains there, its scores on the other topics are adjusted (W10 §6.3). A topic on
    which a run happens to be judged is none of them: there it could gain nothing.

    Attributes
    ----------
    runs, topics : tuple of str
        One entry for each run and topic.
    depths : tuple of int
        How many documents of the run are to be judged on the topic.
    seeds : tuple of int
        By which seed the topic was drawn.

    Examples
    --------
    >>> made = CommonTopics.of(["bm25", "dense"], ["401", "403"], depth=10, seed=1)
    >>> made.of_run("dense"), made.of_run("splade")
    (('401', '403'), ())
    >>> print(made.to_bytes().decode().expandtabs(8))
    run     topic   depth   seed
    bm25    401     10      1
    bm25    403     10      1
    dense   401     10      1
    dense   403     10      1
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    depths: tuple[int, ...]
    seeds: tuple[int, ...]

    @classmethod
    def of(
        cls, runs: Iterable[str], topics: Iterable[str], *, depth: int, seed: int
    ) -> "CommonTopics":
        """Record that these runs are judged to one depth on these topics, drawn by one seed."""
        drawn = tuple(topics)
        cells = [(run, topic) for run in runs for topic in drawn]
        return cls(
            tuple(run for run, _ in cells),
            tuple(topic for _, topic in cells),
            (depth,) * len(cells),
            (seed,) * len(cells),
        )

    @property
    def recorded_as(self) -> tuple[str, ...]:
        """What provenance says of them: the topics."""
        return tuple(dict.fromkeys(self.topics))

    def of_run(self, run: str) -> tuple[str, ...]:
        """Return the topics on which a run is judged for its own sake."""
        return tuple(topic for topic, _ in self.depths_of(run))

    def depths_of(self, run: str) -> tuple[tuple[str, int], ...]:
        """Return these topics, each with the number of documents that are to be judged."""
        rows = zip(self.runs, self.topics, self.depths, strict=True)
        return tuple((topic, depth) for name, topic, depth in rows if name == run)

    def __repr__(self) -> str:
        runs, topics = (len(set(names)) for names in (self.runs, self.topics))
        return f"<CommonTopics: {counted(runs, 'run')}, {counted(topics, 'topic')}>"

    def to_bytes(self) -> bytes:
        """Return the file that :func:`read_common_topics` reads."""
        rows = zip(self.runs, self.topics, self.depths, self.seeds, strict=True)
        lines = ["\t".join(HEADING), *("\t".join(map(str, row)) for row in rows)]
        # Bytes of names that are no UTF-8 come out as they went in.
        return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


@recorded
def read_common_topics(path: str | Path) -> CommonTopics:
    r"""Read the record of common topics that ``poolwise next --goal common:N --save`` wrote.

    It is a table with tabs between its columns: run, topic, depth and seed, under a heading of
    these names. Records of several draws may be written one below the other.

    Returns
    -------
    CommonTopics
        The topics of each run.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "common.tsv")
    >>> _ = path.write_text("run\ttopic\tdepth\tseed\nbm25\t401\t10\t1\n")
    >>> read_common_topics(path).of_run("bm25")
    ('401',)
    >>> folder.cleanup()
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise InputError(
            str(path),
            "a record of common topics must be readable",
            value=error.strerror,
            remedy="check it",
        ) from error
    lines = [(n, line.split("\t")) for n, line in enumerate(lines_of(text), 1) if line.strip()]
    if not lines or tuple(lines[0][1]) != HEADING:
        raise InputError(
            f"{path}:1",
            f"a record of common topics has the columns {', '.join(HEADING)}, with tabs between",
            value="\t".join(lines[0][1]) if lines else "",
            remedy="make one by poolwise next QRELS RUNS --goal common:10 --save FILE",
        )
    rows = [_row(fields, f"{path}:{n}") for n, fields in lines if tuple(fields) != HEADING]
    unique = {(run, topic): (depth, seed) for run, topic, depth, seed in rows}
    return CommonTopics(
        tuple(run for run, _ in unique),
        tuple(topic for _, topic in unique),
        tuple(depth for depth, _ in unique.values()),
        tuple(seed for _, seed in unique.values()),
    )


def _row(fields: list[str], where: str) -> tuple[str, str, int, int]:
    """Read one line, or say what is wrong with it."""
    try:
        run, topic, depth, seed = fields
        return run, topic, int(depth), int(seed)
    except ValueError:
        raise InputError(
            where,
            "a line holds a run, a topic, a depth and a seed",
            value=" ".join(fields),
            remedy="make the record anew by poolwise next --goal common:10 --save FILE",
        ) from None
