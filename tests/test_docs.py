"""What the pages show is what happens."""

import shutil
from pathlib import Path

import pytest
from docs.consoles import DOCS, compare, demo_folder, pages, run_page

ROOT = Path(__file__).parents[1]
SHOWN = [ROOT / "README.md", DOCS / "start.md", DOCS / "output.md", DOCS / "gate.md"]
"""The pages that are met first; ``make docs`` runs all of them."""


def test_every_page_with_commands_runs_when_the_site_is_built() -> None:
    """The pages that run here are among those that ``make docs`` runs, and not all of them."""
    assert set(SHOWN) < set(pages())


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
