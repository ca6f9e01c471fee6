"""What commands show in a real terminal, of 80, 100 and 120 columns, with names people gave."""

import fcntl
import os
import re
import struct
import termios
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from tests.cli.terminals import Terminals, terminals

import poolwise as pw
from poolwise.cli._delivery import width_of

WIDTHS = (80, 100, 120)
_STARTED: list[Terminals] = []


@pytest.fixture(scope="module", autouse=True)
def started() -> Iterator[None]:
    """Start terminals for all commands of this module."""
    with terminals() as made:
        _STARTED.append(made)
        yield
        _STARTED.clear()


def screen(width: int, *words: str | Path) -> list[str]:
    """Return the lines that a terminal of this width shows for a command, without its colours."""
    return _STARTED[0].screen(width, *words)


class Unmeasured(StringIO):
    """A terminal that does not say how wide it is: it has no number in the system."""

    def isatty(self) -> bool:
        """Say that it is a terminal."""
        return True


def test_the_width_is_what_the_user_sets_or_the_terminal_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """COLUMNS goes first; where neither is known, or nobody looks, lines are not cut."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 93, 0, 0))
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.delenv("COLUMNS", raising=False)
        assert width_of(terminal) == 93
        assert width_of(Unmeasured()) is None
        monkeypatch.setenv("COLUMNS", "71")
        assert width_of(terminal) == width_of(Unmeasured()) == 71
    os.close(master)
    assert width_of(StringIO()) is None
    assert width_of(None) is None


def body(lines: list[str]) -> list[str]:
    """Return the rows of a table: what follows its rule, up to an empty line."""
    rule = next(i for i, line in enumerate(lines) if line and set(line.strip()) == {"─"})
    return lines[rule + 1 : lines.index("", rule)]


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_word_is_broken_on_standard_error(width: int) -> None:
    """Notes and errors end their lines between words, and none is longer than the window."""
    for words in (
        ("evaluate", "qrels.txt", "runs", "-m", "AP"),
        ("evaluate", "qrels.txt", "nowhere.run"),
        ("evaluate", "qrels.txt", "runs", "--ties", "random"),
    ):
        whole = " ".join(" ".join(screen(10_000, *words)).split())
        lines = screen(width, *words)
        said = next(i for i, line in enumerate(lines) if line.startswith(("note: ", "Error: ")))
        text = " ".join(" ".join(lines[said:]).split())
        assert len(lines[said:]) > 2
        assert all(len(line) <= width for line in lines[said:])
        assert whole.endswith(text)


@pytest.mark.parametrize("width", WIDTHS)
def test_an_explanation_fits_the_window(width: int) -> None:
    """Lines end between words, and what belongs to a part stands beside its name."""
    lines = screen(width, "explain", "nDCG@10")
    assert max(map(len, lines)) <= width
    beside = [line for line in lines if line.startswith(("Definition", "Unjudged", " "))]
    assert len({re.match(r"(\w*\s+)", line).end() for line in beside}) == 1  # type: ignore[union-attr]
    assert any(line.endswith("topic.") or "abbreviated normalization" in line for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_an_example_of_every_measure_is_shown(width: int) -> None:
    """The list of measures has its examples in every window."""
    lines = screen(width, "measures")
    assert max(map(len, lines)) <= width
    rows = {row.split()[0]: row.split()[1] for row in body(lines)}
    assert rows["RBP"] == "RBP(p=0.8)"
    assert all(pw.parse_measure(example) for example in rows.values())


@pytest.mark.parametrize("width", WIDTHS)
def test_a_comparison_with_a_baseline_keeps_its_verdicts(width: int, data_dir: Path) -> None:
    """The title names the baseline; the column that repeats it goes before the verdict does."""
    folder = data_dir / "trec-dl-2019"
    names = ("colbert_set-encoder-large", "maik-froebe-sparse-cross-encoder", "bm25tuned_prf_p")
    lines = screen(
        *(width, "compare", folder / "qrels.gz", *(folder / f"runs/{n}.gz" for n in names)),
        *("-m", "nDCG@10", "--baseline", "bm25tuned_prf_p"),
    )
    assert max(map(len, lines)) <= width
    assert any("against bm25tuned_prf_p" in line for line in lines[:9])
    assert all(row.split()[0][:7] in {"colbert", "maik-fr"} for row in body(lines))
    states = ("holds", "order certain", "significant, judging", "too few topics", "open")
    assert all(any(state in row for state in states) for row in body(lines))


@pytest.mark.parametrize("width", WIDTHS)
def test_documents_to_judge_have_whole_reasons(width: int, data_dir: Path) -> None:
    """What a reason says again is hidden before a reason is cut."""
    folder = data_dir / "trec-dl-2019"
    runs = [folder / f"runs/{name}.gz" for name in ("p_bert", "tirex_rankgpt4-turbo")]
    lines = screen(width, "next", folder / "qrels.gz", *runs, "--budget", "10")
    assert max(map(len, lines)) <= width
    assert all(row.endswith(("hold it.", "holds it.")) for row in body(lines))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["trec-dl-2019", "trec8"])
@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "-m", "P@10"),
        ("audit",),
        ("table", "-m", "P@10"),
        ("show", "--topic", ""),
        ("standardize", "-m", "P@10"),
        ("power", "-m", "P@10"),
        ("study", "discrimination", "-m", "P@10"),
        ("study", "orders", "-m", "P@10,R@10"),
        ("study", "anova", "-m", "P@10"),
        ("study", "votes"),
        ("design", "--simulations", "50"),
        ("estimate", "-m", "P@10", "--treatment", "nonrelevant,condensed"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_tables_of_whole_collections_fit(
    width: int, name: str, words: tuple[str, ...], data_dir: Path
) -> None:
    """With 61 and with 129 runs, no line is longer than the window, and nothing goes unsaid."""
    folder = data_dir / name
    topic = {"trec-dl-2019": "1037798", "trec8": "401"}[name]
    runs = sorted(folder.glob("runs/*.gz"))[::8]
    where = 2 if words[0] == "study" else 1
    options = [word or topic for word in words[where:]]
    lines = screen(width, *words[:where], folder / "qrels.gz", *runs, *options)
    assert max(map(len, lines)) <= width
    assert not any("Error" in line for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_gate_and_similarity_fit(width: int, data_dir: Path) -> None:
    """Two long names stay inside of the window, with the verdict and the overlap in sight."""
    folder = data_dir / "trec-dl-2019"
    old, new = (folder / f"runs/colbert_set-encoder-{size}.gz" for size in ("base", "large"))
    lines = screen(width, "gate", folder / "qrels.gz", "--baseline", old, new)
    assert max(map(len, lines)) <= width
    assert any(line.startswith(("Pass", "Fail", "Undecided")) for line in lines)
    lines = screen(width, "similarity", *sorted(folder.glob("runs/*.gz"))[::6])
    assert max(map(len, lines)) <= width
    assert any("most like" in line for line in lines)
