"""JSON of rows that are made in parts is that of all rows together."""

import json
from array import array

import pytest

from poolwise.cli._delivery import Result
from poolwise.results._columns import RowParts, Rows, to_json

EMPTY: Rows = {"run": [], "value": []}
PARTS: list[Rows] = [
    {"run": ["a", "b"], "value": array("d", [0.1, float("nan")])},
    {"run": ["ü", 'q"'], "value": [None, 2]},
]


@pytest.mark.parametrize("parts", [PARTS, [EMPTY, *PARTS, EMPTY], [EMPTY], [EMPTY, EMPTY]])
def test_parts_are_one_array(parts: list[Rows]) -> None:
    """The text has the rows of all parts, as one table has them; parts without rows leave none."""
    rows = RowParts(lambda: parts)
    text = Result((), rows, "json").text({})
    assert f'"rows": {to_json(rows.whole())},\n' in text
    assert len(json.loads(text)["rows"]) == sum(len(part["run"]) for part in parts)
