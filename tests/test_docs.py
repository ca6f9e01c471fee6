"""What the pages show is what happens."""

import re
import shutil
from pathlib import Path

import pytest
from docs.consoles import DOCS, compare, demo_folder, pages, run_page
from tests.test_architecture import ROOMS

ROOT = Path(__file__).parents[1]
SHOWN = [
    ROOT / "README.md",
    DOCS / "start.md",
    DOCS / "output.md",
    DOCS / "howto/gate-a-release.md",
]
"""The pages that are met first; ``make docs`` runs all of them."""


def test_every_page_with_commands_runs_when_the_site_is_built() -> None:
    """The pages that run here are among those that ``make docs`` runs, and not all of them."""
    assert set(SHOWN) < set(pages())


@pytest.mark.parametrize("folder", ["", "guide", "howto", "methods"])
def test_links_between_pages_lead_to_files(folder: str) -> None:
    """A page that links to another one, or shows a picture, finds it in the checkout."""
    for page in (DOCS / folder).glob("*.md"):
        links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
        ours = [link for link in links if "generated/" not in link]
        assert [link for link in ours if not (page.parent / link).exists()] == [], page


def test_the_picture_for_contributors_is_the_house() -> None:
    """Every path that CONTRIBUTING.md names is there, and its rooms stand in their order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    # What lies beside the tree, such as real data, is not everywhere.
    paths = {p for p in re.findall(r"`([a-z_.]+/[\w/.-]*)`", text) if not p.startswith("..")}
    roots = (ROOT, ROOT / "src" / "poolwise")
    assert len(paths) > 20
    assert sorted(p for p in paths if not any((root / p).exists() for root in roots)) == []
    assert tuple(re.findall(r"^  (\w+)/ ", text, re.MULTILINE)) == ROOMS


def test_what_the_gate_promises_is_what_was_validated() -> None:
    """Every row of its tables is one of the validation, and its text names the worst of them."""
    page = (
        (DOCS / "howto/gate-a-release.md").read_text(encoding="utf-8").partition("How often it")[2]
    )
    rows = re.findall(r"^\| .*\d+%.* \|$", page, re.MULTILINE)
    validated = (ROOT / "validate/VALIDATION.md").read_text(encoding="utf-8").splitlines()
    assert len(rows) > 30
    assert [row for row in rows if row not in validated] == []
    of_gate = [row.split(" | ") for row in validated if re.search(r" of (any|one group) \| ", row)]
    of_pairs = [row for row in of_gate if len(row) == 9]
    worst = max(of_pairs, key=lambda row: float(row[7].rstrip("%")))
    assert worst[1].endswith("of one group")
    assert f"with {worst[3]} topics, one in twenty lets more than {worst[7]} of" in page
    near_ceiling = {row.split(" | ")[0]: row.split(" | ")[1] for row in rows[-4:]}
    assert f"lets {near_ceiling['| 50']} to {near_ceiling['| 25']} of them pass" in page


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the demo collection."""
    return demo_folder(tmp_path_factory.mktemp("demo"))


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_print_what_the_page_shows(page: Path, demo: Path, tmp_path: Path) -> None:
    """Every command of the page runs, and prints what stands below it."""
    folder = tmp_path / "scratch"
    shutil.copytree(demo, folder)
    for step, printed in run_page(page, folder):
        assert compare(step, printed), "\n".join([step.command, *printed])


def test_every_how_to_has_words_for_the_search() -> None:
    """Its head names what people type, each a main entry, which the search puts first."""
    by_page = {
        page.name: re.findall(
            r"^```\{index\} (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE
        )
        for page in (DOCS / "howto").glob("*.md")
        if page.name != "index.md"
    }
    entries = [entry for lines in by_page.values() for entry in ", ".join(lines).split(", ")]
    assert {name for name, lines in by_page.items() if len(lines) != 1} == set()
    assert [entry for entry in entries if not entry.startswith("! ")] == []
    assert len(entries) == len(set(entries))
