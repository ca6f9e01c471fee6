"""The workflows of the public repository do what we do ourselves, by the same make targets."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()
SCHEMAS = {
    "vendor.github-workflows": WORKFLOWS,
    "vendor.dependabot": [ROOT / ".github/dependabot.yml"],
    "vendor.github-issue-config": [ROOT / ".github/ISSUE_TEMPLATE/config.yml"],
    "vendor.github-issue-forms": [
        path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
    ],
    "vendor.citation-file-format": [ROOT / "CITATION.cff"],
}
"""What each kind of file has to look like, and the files; the schemas come with the checker."""


def steps(workflow: Path) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow."""
    jobs = yaml.safe_load(workflow.read_text())["jobs"].values()
    return [step for job in jobs for step in job.get("steps", ())]


def made(text: str) -> set[str]:
    """Return the targets that a script asks make for."""
    return set(re.findall(r"^\s*(?:\w+=\w+ )*make ([\w-]+)", text, re.MULTILINE))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_make_targets_that_are_there(workflow: Path) -> None:
    """What a workflow runs is a target of the Makefile, so that anybody can run it at home."""
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))
    asked = {target for step in steps(workflow) for target in made(step.get("run", ""))}
    assert asked <= targets


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_for_others_are_as_they_read_them(schema: str) -> None:
    """Workflows, forms and the citation have no key and no value that their readers do not know."""
    files = [str(path) for path in SCHEMAS[schema]]
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *files]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    assert files
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_public_tests_are_those_that_gate_a_change() -> None:
    """Both call the test command of the README."""
    ours = made((ROOT / ".ci/run").read_text())
    theirs = {
        t for step in steps(ROOT / ".github/workflows/tests.yml") for t in made(step.get("run", ""))
    }
    assert ours == {"test"}
    assert ours <= theirs
    assert "make test" in (ROOT / "README.md").read_text()


def test_three_systems_and_every_python_are_tested() -> None:
    """The matrix begins with the oldest Python that the package admits, and has no gap."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    oldest = re.search(r'requires-python = ">=3\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    assert oldest
    first = int(oldest[1])
    assert matrix["python"] == [f"3.{minor}" for minor in range(first, first + 4)]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def pins(name: str) -> dict[str, list[str]]:
    """Return the versions of each package in a list of constraints."""
    versions: dict[str, list[str]] = {}
    for line in (ROOT / name).read_text().splitlines():
        if pin := re.match(r"([\w-]+)==(\S+)", line):
            versions.setdefault(pin[1], []).append(pin[2])
    return versions


def test_the_oldest_versions_that_are_tested_are_the_bounds() -> None:
    """Each bound of pyproject.toml is pinned where the oldest are, and has a newest one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    with_bounds = (line for line in asked if "poolwise[" not in line)
    bounds = [re.match(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)", line) for line in with_bounds]
    oldest, newest = pins("constraints-oldest.txt"), pins("constraints.txt")
    for bound in bounds:
        assert bound, "every package has a bound"
        package, version = bound[1].replace(".", "-"), bound[2]
        (pinned,) = oldest[package]
        assert f"{pinned}.".startswith(f"{version}."), f"{package}: run `make constraints`"
        assert package in newest


def test_lists_of_versions_name_no_place() -> None:
    """They say package, version and marker, and hold on every machine."""
    for name in ("constraints.txt", "constraints-oldest.txt"):
        lines = (ROOT / name).read_text().splitlines()
        assert "make constraints" in "".join(line for line in lines if line.startswith("#"))
        pinned = [line for line in lines if not line.startswith("#")]
        assert all(re.fullmatch(r"[\w-]+==[\w.]+( ; [^/]+)?", line) for line in pinned)


def test_what_builds_a_release_is_taken_by_its_hash() -> None:
    """Each tool has one version, that of the tests, and the SHA-256 of each of its files."""
    text = (ROOT / "constraints-build.txt").read_text().replace("\\\n", "")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    newest, locked = pins("constraints.txt"), {}
    for line in lines:
        pinned = re.fullmatch(
            r"([\w-]+)==(\S+?)( ; [^/]+?)?((?:\s+--hash=sha256:[0-9a-f]{64})+)", line
        )
        assert pinned, line
        assert pinned[2] in newest[pinned[1]], f"{pinned[1]}: run `make constraints`"
        locked[pinned[1]] = pinned[2]
    tools = re.search(r"^TOOLS := ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    assert tools
    assert set(tools[1].replace("\\", "").split()) <= set(locked)
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert {line.partition(">=")[0] for line in built["build-system"]["requires"]} <= set(locked)
    wheels = built["tool"]["cibuildwheel"]
    assert wheels["build-frontend"]["args"] == ["--no-isolation"]
    assert "--require-hashes" in wheels["before-build"]
    for target in ("wheel", "wheels", "sdist"):
        recipe = re.search(rf"^{target}: .*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
        assert recipe
        assert "$(HASHED)" in recipe[1]


def test_only_the_step_that_publishes_may_do_so() -> None:
    """Workflows read by default; the right to publish belongs to one job, without a password."""
    for workflow in WORKFLOWS:
        content = yaml.safe_load(workflow.read_text())
        assert content["permissions"] == {"contents": "read"}
        assert "password" not in workflow.read_text().replace("no password", "")


USES = re.compile(r"uses: (\S+?)(?:@(\S+))?(?: # (v\S+))?$", re.MULTILINE)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_of_others_are_pinned_by_commit(workflow: Path) -> None:
    """A name can be moved to other code; a commit cannot. The version stands beside it."""
    for name, commit, version in USES.findall(workflow.read_text()):
        if not name.startswith("./"):
            assert re.fullmatch(r"[0-9a-f]{40}", commit), f"{name} goes by {commit}"
            assert version, f"{name} does not say its version"


def test_one_action_has_one_commit() -> None:
    """What is brought up to date is so everywhere."""
    by_action: dict[str, set[str]] = {}
    for workflow in WORKFLOWS:
        for name, commit, _ in USES.findall(workflow.read_text()):
            by_action.setdefault(name, set()).add(commit)
    assert {name for name, commits in by_action.items() if len(commits) > 1} == set()


def test_what_is_published_is_attested() -> None:
    """Who takes a wheel can see which commit and which job it is from."""
    text = (ROOT / ".github/workflows/release.yml").read_text()
    assert "actions/attest-build-provenance@" in text
    assert "attestations: true" in text


def test_no_step_keeps_the_key_of_the_repository() -> None:
    """Code of a pull request runs after the checkout."""
    for workflow in WORKFLOWS:
        text = workflow.read_text()
        assert text.count("actions/checkout@") == text.count("persist-credentials: false")
