"""``poolwise study topics``, ``intensity``, ``distribution`` and ``references``."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from poolwise import ScoreTable, write_score_matrix

Command = Callable[..., Result]


def rows(text: str) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """Write AP of eight systems on forty topics."""
    values = np.random.default_rng(5).beta(2, 5, (8, 40))
    table = ScoreTable.from_matrix(
        values, systems="abcdefgh", topics=[str(t) for t in range(40)], measure="AP"
    )
    write_score_matrix(table, tmp_path / "ap.csv")
    return str(tmp_path / "ap.csv")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("topics",), 40),
        (("intensity",), 320),
        (("distribution",), 402),
        (("distribution", "--of", "systems"), 603),
        (("distribution", "--run", "a,b"), 402),
        (("references", "--sizes", "3,4", "--samples", "20"), 2),
        (("references", "--reference", "a,b,c,d,e", "--samples", "20"), 3),
    ],
)
def test_studies_of_scores_print_and_draw(
    run: Command, scores: str, tmp_path: Path, words: tuple[str, ...], count: int
) -> None:
    """Each prints a row per thing, and draws itself."""
    file = tmp_path / "plot.svg"
    result = run("study", words[0], "--scores", scores, "-m", "AP", *words[1:], "--plot", str(file))
    assert result.exit_code == 0, result.output
    assert len(rows(result.stdout)) == count
    assert file.stat().st_size > 1000


def test_bins_count_all_scores(run: Command, scores: str) -> None:
    """A histogram has every score once, wherever its bins begin."""
    for words in ((), ("--offset", "-0.05"), ("--bins", "0.25")):
        bins = rows(
            run("study", "distribution", "--scores", scores, "--bins", "0.1", *words).stdout
        )
        assert sum(int(row["count"]) for row in bins) == 320


def test_scores_are_standardized_where_they_have_no_limits(run: Command, scores: str) -> None:
    """Scores mapped back lie between 0 and 1; a prior is named in words that can be read."""
    result = run("standardize", "--scores", scores, "-m", "AP", "--mapping", "logit")
    assert {row["measure"] for row in rows(result.stdout)} == {"sAP:logit"}
    words = ("standardize", "--scores", scores, "-m", "AP", "--smoothing", "prior", "--prior")
    assert run(*words, "0.2,0.2,5").exit_code == 0
    wrong = run(*words, "0.2")
    assert wrong.exit_code == 3
    assert "Hint: write 0.2,0.2,5." in wrong.output
