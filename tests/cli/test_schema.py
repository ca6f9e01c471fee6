"""What a program reads, whatever the command, is of one published form."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
from tests.cli.every_command import COMMANDS, invoke

from poolwise.results._records import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs/schema/result-1.json").read_text(encoding="utf-8"))
WITH_JSON = [path for path, c in COMMANDS.items() if any(p.name == "form" for p in c.params)]
"""Commands that have ``--format``."""


def test_the_schema_is_a_schema_and_is_called_as_results_call_it() -> None:
    """The published file is valid, and its id is the one in every result."""
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)
    assert PUBLISHED["$id"] == SCHEMA
    assert {"evaluate", "compare", "next", "power", "ledger rank", "study swaps"} <= {*WITH_JSON}


@pytest.mark.parametrize("path", WITH_JSON)
def test_every_result_is_of_the_schema(
    path: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first example of each command, asked for JSON, is valid."""
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    words = next(w for w in COMMANDS[path].examples(path) if " -o " not in w)
    result = invoke(f"{words} --format json --quiet")
    assert result.exit_code in (0, 1, 2), result.output
    output = json.loads(result.stdout)
    jsonschema.validate(output, PUBLISHED)
    assert output["schema"] == SCHEMA
