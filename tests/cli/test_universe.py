"""Every command that prints a range takes the universe and the grades, and names them."""

from collections.abc import Callable

import pytest
from click.testing import Result

Command = Callable[..., Result]
pytestmark = pytest.mark.usefixtures("collection")


@pytest.mark.parametrize("command", ["evaluate", "compare", "estimate"])
def test_a_table_names_the_universe_and_the_grades(run: Command, command: str) -> None:
    """The provenance says which documents a range is over, and of which grades."""
    words = ("qrels.txt", "runs", "-m", "nDCG@2", "--universe", "corpus", "--grades", "0,1,2,3")
    result = run(command, *words, "--format", "table")
    assert result.exit_code == 0, result.output
    assert "universe corpus" in result.output
    assert "grades 0,1,2,3" in result.output


def test_the_universe_decides_how_wide_a_range_is(run: Command) -> None:
    """Of the run ⊆ of the runs ⊆ of the corpus."""
    widths = []
    for universe in ("run", "runs", "corpus"):
        text = run("evaluate", "qrels.txt", "runs", "-m", "nDCG@2", "--universe", universe).stdout
        header, row = (line.split("\t") for line in text.splitlines()[:2])
        ends = dict(zip(header, row, strict=True))
        widths.append(float(ends["upper"]) - float(ends["lower"]))
    assert widths == sorted(widths)
    assert widths[0] < widths[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "P@2,AP@2", "--universe-depth", "1"), "must reach as deep as the measure"),
        (("-m", "AP", "--universe-depth", "5"), "looks at whole lists"),
        (("--universe-depth", "some"), "a number of ranks, 1 or more, or all"),
        (("--grades", "0,1"), "topic 1, document c"),
        (("--grades", "a,b"), "numbers with commas"),
    ],
)
def test_a_universe_or_scale_that_cannot_be_is_refused(
    run: Command, words: tuple[str, ...], message: str
) -> None:
    """The error names the rule, the value and the remedy."""
    result = run("evaluate", "qrels.txt", "runs", *words)
    assert result.exit_code
    assert message in result.output
    assert "Hint" in result.output


def test_a_tail_stands_apart(run: Command) -> None:
    """RBP's range is over documents; what ranks past the ends could add has its own column."""
    words = ("-m", "RBP(p=0.8)", "--explain", "--format", "table")
    text = run("evaluate", "qrels.txt", "runs", *words).output
    assert "tail" in text
    assert "it is no part of the range" in text
    assert "topics answered" in text
