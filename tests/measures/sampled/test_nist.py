"""Inferred measures beside what NIST's script prints, digit by digit."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from poolwise import Evaluation, Reading, evaluate

NAMES = {
    "infAP": "xinfAP",
    "infNDCG": "infNDCG",
    "iP10": "iP@10",
    "iP50": "iP@50",
    "iP1000": "iP@1000",
    "inum_rel_ret": "iNumRelRet",
    "inum_rel": "iNumRel",
    "num_ret": "NumRet",
} | {f"iprec@rec{tenth / 10:.2f}": f"iIPrec@{tenth / 10:g}" for tenth in range(11)}
SUMS = {"inum_rel_ret", "inum_rel", "num_ret"}
"""Of these the script prints the sum over topics, and of others the mean."""
RUNS = (
    *("CL99XT", "INQ604", "READWARE2", "UT810", "apl8c221"),
    *("isa25t", "ok8amxc", "pir9Aatd", "surffal2", "tno8d3"),
)


class Line(NamedTuple):
    """One line of the script."""

    measure: str
    topic: str
    text: str


def printed(path: Path) -> Iterator[Line]:
    """Go through the lines of the script's output."""
    return (Line(*line.split()) for line in path.read_text().splitlines())


@pytest.fixture(scope="module")
def found(data_dir: Path) -> Evaluation:
    """Score the ten runs under the sampled judgments."""
    folder = data_dir / "trec8"
    runs = [folder / "runs" / f"{run}.gz" for run in RUNS]
    qrels = folder / "sampled" / "qrels-strata.gz"
    return evaluate(qrels, runs, list(NAMES.values()), bounds="none", reading=Reading(names="file"))


@pytest.mark.parametrize("run", RUNS)
def test_every_printed_digit_is_ours(run: str, found: Evaluation, data_dir: Path) -> None:
    """All measures of the script, on all topics and over them, are equal to the printed digit."""
    lines = [*printed(data_dir / "trec8" / "sampled" / f"sample_eval-{run}.txt")]
    assert len(lines) == 8 * 51 + 11
    different = [line for line in lines if line.text != ours(line, run, found)]
    assert different == []


def ours(line: Line, run: str, evaluation: Evaluation) -> str:
    """Return our number with as many digits."""
    table = evaluation[NAMES[line.measure]].select([run])
    value = table.value[0]
    if line.topic == "all":
        number = value.sum() if line.measure in SUMS else np.nan_to_num(value).mean()
    else:
        number = value[table.topics.index(line.topic)]
    return f"{number:.0f}" if line.measure == "num_ret" else f"{number:.4f}"
