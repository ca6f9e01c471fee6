"""What the results and the errata say that a paper prints, it prints.

The texts of the papers are not ours to publish; where copies lie beside the data, they are read.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from tests.each import over

from reproduce.errata import ERRATA

COPIES = {"U18": "000", "G16": "001", "D10": "002", "B23": "003", "W10": "004"}
IN_ERRATA = {
    "B23 tables 4 and 5": "priors from the run yield more accurate results than from the pool",
    "B23 §3.2": "rel(d, q) = r",
    "B23 §4": "the most likely score according to pool/run-based bootstrapping",
    "B23 table 5": "Kendall’s τ and Spearman’s ρ",
    "B23 table 3": "removing documents solely contributed by the group submitting a run",
    "U18 table 1": "93.5 94.6 74.1",
    "U18 §3.5": "The three system pairs in this category have been excluded from all of",
    "W10 tables 6.4 and 6.5": "estimating the scores of the 11 best TREC 8 AdHoc track manual runs",
    "W10 figure 4.11": "Of the 5,955 system pairs",
    "W10 table 4.6": "the 30 automatic systems minus the 4 faulty ones",
    "W10 §5.2": "the median σ for baseline–experimental pairs is 0.138",
    "W10 table 4.1": "ETHme1 LNmFull11 Cor5A1se anu5aut1",
    "D10 table 1": "AP@1000 0.638",
    "D10 eq. 5": r"\log_2(\min(2, i))",
    "B23 §4.3": "bootstrapping produces the best estimates in all cases",
    "B23 §4.2": "RMSE 0.113 vs. 0.92",
    "W10 §4.2.1, figures 4.2, 4.3 and 4.7": "at the first, tenth, twentieth, and seventy-fifth",
    "U18 §3.2 (a question)": "similarly 2.5–3% larger than the measured score",
    "D10 §3.3 (a question)": "40 different research groups",
}
"""Words of the paper that each entry of the errata is about."""
ELSEWHERE = (
    ("U18", "three such “contradictory” system pairs in the TREC-8 systems when evaluated using"),
    ("U18", "the TREC-8 graph is similar"),
    ("U18", "with the same pattern evident in a third plot for TREC-8"),
    ("B23", "| Robust04 | 0.80 | 0.18 | 0.02 | 0.00 | 0.00 | 0.96 |"),
    ("B23", "ClueWeb12 | 0.64 | 0.25 | 0.09 | 0.02 | 0.02 | 0.67 | 0.24 | 0.08 | 0.02 | 0.01"),
    ("B23", "For simulated incompleteness, we report averages over all groups"),
    ("B23", "might also tighten the resulting bootstrapped score distributions"),
    ("W10", "only the 28 automatic systems scoring more than 0.05"),
    ("W10", "All 0.636 0.364"),
    ("W10", "four faulty systems scoring below 0.05 (two of which are manual, two automatic)"),
    ("W10", "given a median σ of 0.138, requires 145 topics"),
    ("W10", "for LNmFull11 0.61"),
    ("D10", "RBP, p=0.8 0.638"),
)
"""Words that remarks and readings of the results rest on."""


@cache
def words_of(folder: Path, paper: str) -> str:
    """Return the text of a paper, each run of white space one space, no signs of mathematics."""
    (path,) = folder.glob(f"{COPIES[paper]}_*.txt")
    return re.sub(r"\s+", " ", re.sub(r"[$*]|</?b>", "", path.read_text(encoding="utf-8")))


def test_every_erratum_has_words_of_the_paper() -> None:
    """No entry of the errata goes without the words that it is about."""
    assert {where for where, *_ in ERRATA} == {*IN_ERRATA}


@over(
    "paper, words",
    [*((where[:3], words) for where, words in IN_ERRATA.items()), *ELSEWHERE],
)
def test_the_paper_prints_these_words(data_dir: Path, paper: str, words: str) -> None:
    """The words stand in the paper, but for its line breaks and signs of mathematics."""
    folder = data_dir.parent / "papers"
    if not folder.is_dir():
        pytest.skip(f"no papers at {folder}")
    assert re.sub(r"[$*]", "", words) in words_of(folder, paper)
