"""What is said of a release in several places is the same in all of them."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from poolwise.provenance._references import bibtex_of_poolwise
from poolwise.version import __version__

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
SUBSTITUTIONS = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"][
    "substitutions"
]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text())
ADDRESS = PROJECT["urls"]["Source"]


def files_that_name(words: str) -> list[str]:
    """Return the tracked files that hold these words."""
    command = ["git", "grep", "--files-with-matches", "--fixed-strings", words]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    return result.stdout.split()


def as_on_the_index(text: str) -> str:
    """Return Markdown as the package index will get it."""
    for rule in SUBSTITUTIONS:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    return text.replace("$HFPR_VERSION", __version__)


def release_notes() -> str:
    """Return what the workflow of releases publishes with this version."""
    script = re.search(r"awk '(.+)' CHANGELOG.md", (ROOT / "Makefile").read_text())
    assert script
    program = script[1].replace("$$", "$").replace("$(TAG:v%=%)", __version__)
    command = ["awk", program, "CHANGELOG.md"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603 -- ours


def test_the_citation_is_of_this_version_and_its_authors() -> None:
    """Version, authors and licence have one place; the citation repeats it."""
    assert CITATION["version"] == __version__
    assert CITATION["authors"] == PROJECT["authors"]
    assert CITATION["license"] == PROJECT["license"]


def test_the_newest_release_of_the_changelog_is_this_one() -> None:
    """Its heading has the version and the day, which the citation repeats; older ones follow."""
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    dated = [heading.split(" - ") for heading in headings if heading != "Unreleased"]
    assert dated[0] == [__version__, str(CITATION["date-released"])]
    assert [day for _, day in dated] == sorted((day for _, day in dated), reverse=True)


@pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not installed")
def test_the_notes_of_a_release_are_its_part_of_the_changelog() -> None:
    """Those of this release have its sections, and none of the release before."""
    notes = release_notes()
    assert "### Changed" in notes
    assert "## 0.1.0" not in notes
    assert "Not published." not in notes


def test_the_citation_and_the_command_say_the_same() -> None:
    """``poolwise cite`` has the title, the authors, the version and the year of CITATION.cff."""
    entry = bibtex_of_poolwise()
    assert f"title = {{{{{CITATION['title']}}}}}" in entry
    assert f"author = {{{{{CITATION['authors'][0]['name']}}}}}" in entry
    assert f"version {CITATION['version']}" in entry
    assert f"year = {{{CITATION['date-released'].year}}}" in entry


def test_the_address_is_named_in_one_file() -> None:
    """Whoever gives the project a home changes one file."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    assert all(url.startswith(ADDRESS) for url in PROJECT["urls"].values())
    assert all(ADDRESS in rule["replacement"] for rule in SUBSTITUTIONS)
    assert files_that_name(ADDRESS) == ["pyproject.toml"]


def test_pictures_and_links_work_on_the_package_index() -> None:
    """Every address there is a whole one, or a heading of the page; and files are those we have."""
    targets = re.findall(r"\]\(([^)\s]+)\)", as_on_the_index((ROOT / "README.md").read_text()))
    assert all(
        urlsplit(target).scheme in {"http", "https"} or target[0] == "#" for target in targets
    )
    ours = [t.partition(f"/v{__version__}/")[2] for t in targets if t.startswith(ADDRESS)]
    assert [path for path in ours if not (ROOT / path.partition("#")[0]).exists()] == []


def test_a_picture_is_shown_raw_and_a_page_is_not() -> None:
    """The two kinds of links lead to the two kinds of views."""
    version = f"v{__version__}"
    assert as_on_the_index("![a](docs/a.png) [b](b.md) [c](#c) [d](http://d)") == (
        f"![a]({ADDRESS}/raw/{version}/docs/a.png) [b]({ADDRESS}/blob/{version}/b.md) "
        "[c](#c) [d](http://d)"
    )


def test_every_python_that_is_tested_is_classified() -> None:
    """What the package index says of versions is what the workflow tries."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    prefix = "Programming Language :: Python :: 3."
    classified = [f"3.{c.removeprefix(prefix)}" for c in PROJECT["classifiers"] if prefix in c]
    assert classified == jobs["tests"]["strategy"]["matrix"]["python"]
