"""Charts as plain dicts: what Vega-Lite allows, by the schema that Altair ships."""

import copy
import subprocess
import sys
from typing import Any

import pytest
from tests.properties.page_reader import read_page
from tests.views.report.test_many_topics import collection

import poolwise as pw

alt = pytest.importorskip("altair")
jsonschema = pytest.importorskip("jsonschema")
pytest.importorskip("vl_convert")

KINDS = {
    *("unjudged", "pairs", "deltas", "topics-nDCG@5", "estimates", "drawn", "tree", "overlap"),
    "power",
}
"""What the charts of a page with unjudged documents are called."""


def charts_of(markup: str) -> dict[str, dict[str, Any]]:
    """Return the charts of a page by their names."""
    blocks = [b for section in read_page(markup).sections.values() for b in section.values()]
    return {name: chart.spec for block in blocks for name, chart in block.charts.items()}


@pytest.fixture(scope="module")
def few() -> dict[str, dict[str, Any]]:
    """Return the charts of a page whose charts have room for each topic."""
    made = pw.simulate(systems=4, topics=8, depth=20, rng=2)
    return charts_of(pw.html_page(pw.report(made.judgments, made.runs, ["nDCG@5"])))


@pytest.fixture(scope="module")
def many() -> dict[str, dict[str, Any]]:
    """Return the charts of a page that counts topics."""
    return charts_of(pw.html_page(pw.report(*collection(500), ["P@4"])))


def is_allowed(spec: dict[str, Any]) -> bool:
    """Tell whether a chart is what the schema of Vega-Lite describes."""
    try:
        alt.Chart.from_dict(spec)
    except jsonschema.ValidationError:
        return False
    return True


def test_every_chart_is_vega_lite(
    few: dict[str, dict[str, Any]], many: dict[str, dict[str, Any]]
) -> None:
    """Each property of each chart is one that Vega-Lite has, with a value that it takes."""
    assert set(few) >= KINDS
    assert {"unjudged", "deltas", "topics-P@4"} <= set(many)
    assert [
        name for page in (few, many) for name, spec in page.items() if not is_allowed(spec)
    ] == []


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_slip_of_the_pen_is_seen(few: dict[str, dict[str, Any]], name: str) -> None:
    """A channel or a mark that is spelled wrong is not what the schema describes."""
    spec = copy.deepcopy(few[name])
    first = spec["layer"][0] if "layer" in spec else spec
    first["encoding"]["colour"] = {"value": "red"}
    assert not is_allowed(spec)
    spec = copy.deepcopy(few[name])
    first = spec["layer"][0] if "layer" in spec else spec
    first["mark"]["type"] = "rectangle"
    assert not is_allowed(spec)


def test_a_page_needs_no_altair() -> None:
    """To import it would take as long as to make a small page."""
    code = (
        "import sys, poolwise as pw; made = pw.simulate(systems=3, topics=4, depth=10, rng=1);"
        "pw.html_page(pw.report(made.judgments, made.runs, ['P@5']));"
        "print('altair' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 -- our own interpreter
    assert done.stdout.strip() == "False"
