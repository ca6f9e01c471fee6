"""W10, chapter 4: tables 4.4, 4.7 and 4.11 to 4.13, by commands alone.

Every number is what a command of poolwise prints; nothing is computed here. The cells are those of
the sections before, and are not counted again.
"""

import csv
import tempfile
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from reproduce.results import DIFFERS, EQUAL, Row, Section, checked, numbers
from reproduce.sources import Folders, read_factor, read_relevant
from reproduce.w10_collections import (
    FROM_FACTORS,
    FROM_R,
    NATURAL,
    TABLE_4_13,
    TABLES_4_9_TO_4_12,
)
from reproduce.w10_measures import PAPER
from reproduce.w10_standardization import COLLECTIONS, SYSTEMS, TABLE_4_4, TABLE_4_7, TOPICS

MEANS = {**{m: (cells, 3) for m, cells in TABLE_4_13.items()}, **FROM_FACTORS, "SP": FROM_R["SP"]}
"""Means of table 4.13, and their digits."""


class Shell:
    """Commands of poolwise, run in a folder of their own; what they print is read back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []

    def run(self, *words: str | Path) -> list[dict[str, str]]:
        """Run a command that writes a table, and return its rows."""
        from poolwise.cli.main import main  # noqa: PLC0415 -- late: the commands load much

        out = self.folder / "out.csv"
        typed = [str(word) for word in words]
        main([*typed, "--quiet", "--force", "-o", str(out)], standalone_mode=False)
        self.said.append("poolwise " + " ".join(_short(word) for word in typed))
        with out.open(encoding="utf-8") as lines:
            return list(csv.DictReader(line for line in lines if not line.startswith("#")))

    def kept(self, name: str, *words: str | Path) -> Path:
        """Run a command, and keep what it writes under a name."""
        self.run(*words)
        return (self.folder / "out.csv").rename(self.folder / name)

    def topics(self, *names: str) -> Path:
        """Return a file with the topics of these collections."""
        wanted = [range(COLLECTIONS[name][0], COLLECTIONS[name][1] + 1) for name in names]
        path = self.folder / ("-".join(names) + ".topics")
        # topic 672 of 2004 has no relevant document, and no scores
        listed = [str(topic) for some in wanted for topic in some if topic != 672]
        path.write_text("\n".join(listed) + "\n", encoding="utf-8")
        return path


def _short(word: str) -> str:
    return Path(word).name if "/" in word else word


def tables_by_commands(folders: Folders) -> Section:
    """Make the tables of chapter 4 that its recommendations rest on, as a user would."""
    scores, factors = folders.data / "scores/urbano", folders.data / "standardization-factors"
    robust = scores / "sigir2018-simulation/robust2004_ap.csv"
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(Path(folder))
        rows = [
            _table_4_4(shell, scores / "sigir2019-statistical/adhoc5_ap.csv", _columns(folders)),
            *_table_4_7(shell, robust, factors),
            *_tables_4_11_and_4_12(shell, robust, factors),
            *_table_4_13(shell, robust, factors),
        ]
    choices = tuple(f"`{line}`" for line in _examples(shell.said))
    reading = (
        "What commands print, set beside the printed cells; one command of each kind is shown. The "
        "matrix of TREC 5 numbers its runs and topics. Table 4.13's documents judged and relevant "
        "are not there: `poolwise audit` counts them where judgments are at hand. "
        f"{_of_sp(folders)}"
    )
    title = "Tables 4.4, 4.7 and 4.11–4.13 by commands"
    return Section(PAPER, title, tuple(rows), reading, choices=choices)


def _of_sp(folders: Folders) -> str:
    """Say why the command's mean SP of TREC-8 is not that of the table."""
    own, ap = (read_factor(folders.data, "trec2004.rob", "mn", name) for name in ("SP", "AP"))
    R = read_relevant(folders.data)
    topics = [topic for topic in R if 401 <= int(topic) <= 450]
    column, product = (
        sum(values) / len(topics)
        for values in ([own[t] for t in topics], [ap[t] * R[t] for t in topics])
    )
    return checked(
        f"The mean SP is that of the factors' own column, for TREC-8 {column:.3f}, where AP × R, "
        f"by which the section before has the printed cell, is {product:.3f}.",
        holds=numbers([column, product], 2) == "20.28 20.29",
    )


def _examples(said: Sequence[str]) -> Iterator[str]:
    """Yield the first command of each kind."""
    kinds: set[tuple[str, ...]] = set()
    for line in said:
        kind = tuple(word for word in line.split() if word.startswith("-") or word.isalpha())
        if kind not in kinds:
            kinds.add(kind)
            yield line


def _beside(what: str, printed: Sequence[float], ours: Sequence[float], digits: int = 3) -> Row:
    """Set what a command prints beside the printed cells, and say whether they are equal."""
    # a zero has no sign in print
    shown = [numbers([value + 0.0], digits).replace("-0.000", "0.000") for value in ours]
    off = sum(a != b for a, b in zip(shown, numbers(printed, digits).split(), strict=True))
    said = f"{off} of {len(shown)} differ" if off else "equal to the printed digits"
    verdict = DIFFERS if off else EQUAL
    return Row(what, numbers(printed, digits), " ".join(shown), verdict, said)


def _columns(folders: Folders) -> list[str]:
    """Return how the public matrix calls the systems of table 4.4."""
    with (folders.data / "scores/trec5-runs.tsv").open(encoding="utf-8") as lines:
        column = {row["run"]: row["column"] for row in csv.DictReader(lines, delimiter="\t")}
    return [f"run{column[name]}" for name in SYSTEMS]


def _table_4_4(shell: Shell, matrix: Path, systems: Sequence[str]) -> Row:
    """Standardize the scores of TREC 5 by its own runs, with divisor n − 1."""
    rows = shell.run("standardize", "--scores", matrix, "-m", "AP", "--ddof", "1", "--per-topic")
    cell = {(row["run"], row["topic"]): float(row["value"]) for row in rows}
    ours = [cell[system, str(TOPICS[t] + 1)] for t in TABLE_4_4 for system in systems]
    printed = [score for cells in TABLE_4_4.values() for score in cells]
    return _beside("table 4.4: standardized scores", printed, ours)


def _standardized(shell: Shell, name: str, robust: Path, factors: Path) -> Path:
    """Standardize the runs of Robust 2004 on a collection by the published factors."""
    kept = shell.folder / f"{name}.original.csv"
    if kept.exists():
        return kept
    words = ("standardize", "--scores", robust, "-m", "AP", "--topics", shell.topics(name))
    return shell.kept(kept.name, *words, "--factors", factors / f"{name}.mn.csv", "--per-topic")


def _table_4_7(shell: Shell, robust: Path, factors: Path) -> Iterator[Row]:
    """Correlate scores by the original runs with those by the runs themselves."""
    for name, printed in TABLE_4_7.items():
        original = _standardized(shell, name, robust, factors)
        words = ("standardize", "--scores", robust, "-m", "AP", "--topics", shell.topics(name))
        own = shell.kept(f"{name}.own.csv", *words, "--per-topic")
        both = ("study", "orders", "--scores", original, "--scores", own, "--resamples", "2")
        ours = [float(shell.run(*both, "--by", by)[0]["value"]) for by in ("pearson", "tau_b")]
        yield _beside(f"table 4.7, {name}: r, τ", printed, ours)
    years = ("trec2003.rob", "trec2004.rob")
    words = ("study", "comparability", "--scores", robust, "-m", "AP", "--partitions", "1")
    second = ("--topics", shell.topics(*years), "--second", shell.topics(years[1]))
    row = shell.run(*words, *second)[0]
    ours = [float(row[name]) for name in ("pearson", "tau_b")]
    yield _beside("table 4.7, AP on 2003 and 2004: r, τ", (0.943, 0.742), ours)


def _tables_4_11_and_4_12(shell: Shell, robust: Path, factors: Path) -> Iterator[Row]:
    """Compare collections by scores that the original runs standardize."""
    rows = []
    for first, second in combinations(NATURAL, 2):
        files = [_standardized(shell, name, robust, factors) for name in (first, second)]
        words = ("study", "comparability", "--scores", files[0], "--scores", files[1])
        more = ("--second", shell.topics(second), "--partitions", "1")
        rows.append(shell.run(*words, *more)[0])
    kappas, on_first, on_second = TABLES_4_9_TO_4_12["sAP"]
    yield _beside("table 4.11, sAP: κ", kappas, [float(row["kappa"]) for row in rows])
    for name, printed in (("higher_on_first", on_first), ("higher_on_second", on_second)):
        which = name.rpartition("_")[2]
        ours = [float(row[name]) for row in rows]
        yield _beside(f"table 4.12, sAP: systems better on the {which}", printed, ours, 0)


def _table_4_13(shell: Shell, robust: Path, factors: Path) -> Iterator[Row]:
    """Print the means of the four collections."""
    means, of_factors = [], []
    for name in NATURAL:
        original = _standardized(shell, name, robust, factors)
        other = next(another for another in NATURAL if another != name)
        beside = _standardized(shell, other, robust, factors)
        words = ("study", "comparability", "--scores", original, "--scores", beside)
        more = ("--second", shell.topics(other), "--partitions", "1")
        means.append(float(shell.run(*words, *more)[0]["first_mean"]))
        published = factors / "trec2004.rob.mn.csv"
        table = ("table", "--scores", published, "-m", "mean", "--topics", shell.topics(name))
        of_factors.append({row["run"]: row for row in shell.run(*table)})
    for measure, (printed, digits) in MEANS.items():
        ours = means if measure == "sAP" else [float(rows[measure]["mean"]) for rows in of_factors]
        yield _beside(f"table 4.13: mean {measure}", printed, ours, digits)


SECTIONS = (tables_by_commands,)
