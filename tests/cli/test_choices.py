"""What a command offers is what is registered: a new entry needs no second list."""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import Result

from poolwise.evidence._evidence import Evidence
from poolwise.findings.comparison._significance import TESTS
from poolwise.measures._measure import Measure
from poolwise.scores._score_table import ScoreTable
from poolwise.scores._scoring import score
from poolwise.scores.treatments import _estimates

Command = Callable[..., Result]
CLI = Path(__file__).parents[2] / "src" / "poolwise" / "cli"


@dataclass(frozen=True)
class Upper:
    """Unjudged documents are all relevant."""

    name: ClassVar[str] = "upper"
    summary: ClassVar[str] = "unjudged documents are relevant"

    def table(self, evidence: Evidence, measure: Measure, rng: object) -> ScoreTable:
        """Return the upper bounds."""
        del rng
        table = score(evidence, measure)
        return replace(table, value=table.upper)


def test_choices_are_never_listed_by_hand() -> None:
    """Options with choices take them from a registry; `--format` has the one list of formats."""
    lists = [
        f"{path.name}: {ast.unparse(node)}"
        for path in CLI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "click.Choice"
    ]
    assert lists == ["_options.py: click.Choice(FORMATS)"]


@pytest.mark.usefixtures("collection")
def test_a_new_significance_test_is_offered(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry of TESTS is in the help of the commands that test, and runs."""
    monkeypatch.setitem(TESTS, "mine", replace(TESTS["t"], name="mine", title="my own test"))
    for words in (("compare",), ("study", "discrimination")):
        assert re.search(r"(\||or )mine\b", run(*words, "--help-all").stdout)
    result = run("compare", "qrels.txt", "runs", "-m", "P@2", "--test", "mine", "--format", "md")
    assert "my own test" in result.stdout


@pytest.mark.usefixtures("collection")
def test_a_new_treatment_is_offered(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry of TREATMENTS is listed with its summary, is one of all, and runs."""
    monkeypatch.setattr(_estimates, "TREATMENTS", (*_estimates.TREATMENTS, Upper()))
    for words in (("evaluate",), ("estimate",), ("study", "leave-out")):
        assert "unjudged documents are relevant" in run(*words, "--help-all").stdout
    result = run("evaluate", "qrels.txt", "runs", "-m", "P@2", "--treatment", "upper")
    assert result.exit_code == 0, result.output
    assert "0.5" in result.stdout


def test_treatments_are_listed_with_what_they_do(run: Command) -> None:
    """A newcomer reads in the help which treatments there are."""
    text = " ".join(run("estimate", "--help-all").stdout.split())
    assert "Treatments:" in text
    for treatment in _estimates.TREATMENTS:
        assert f"{treatment.name} {treatment.summary}" in text
