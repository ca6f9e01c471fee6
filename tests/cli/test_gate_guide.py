"""The guide to the gate says what is: its files parse, its commands run, its numbers are ours."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import Result

import poolwise as pw
from poolwise import workflows

Command = Callable[..., Result]
ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "howto" / "gate-a-release.md").read_text(encoding="utf-8")
FILES = ROOT / "docs" / "gate"
GITHUB = yaml.safe_load((FILES / "github-actions.yml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((FILES / "gitlab-ci.yml").read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project with qrels, a frozen baseline, and a script that prints a candidate."""
    monkeypatch.chdir(tmp_path)
    _, files = workflows.make_demo("demo")
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "search").mkdir()
    Path("demo/qrels.txt").rename("search/qrels.txt")
    frozen = workflows.freeze_baseline("search/qrels.txt", "demo/runs/bm25-1.run")
    Path("search/baseline.frozen").write_bytes(frozen)
    answer("bm25-2")
    return tmp_path


def answer(system: str) -> None:
    """Let the project's search system be this one of the demo."""
    script = Path("search/run_queries.sh")
    script.write_text(f"#!/bin/sh\ncat demo/runs/{system}.run\n")
    script.chmod(0o755)


def run_steps(commands: list[str]) -> list[int]:
    """Run the steps of a pipeline as it would, but for installing; return their exit codes."""
    folder = Path("bin")
    folder.mkdir(exist_ok=True)
    program = folder / "poolwise"
    call = '-c "from poolwise.cli.main import main; main()"'
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {call} "$@"\n')
    program.chmod(0o755)
    path = f"{folder.absolute()}:{os.environ['PATH']}"
    around = {**os.environ, "PATH": path, "GITHUB_STEP_SUMMARY": "summary.md"}
    wanted = [command for command in commands if not command.startswith("pip ")]
    return [
        subprocess.run(["bash", "-ec", command], env=around, check=False).returncode  # noqa: S603, S607 -- the lines of our guide
        for command in wanted
    ]


def test_the_guide_shows_the_files_as_they_are() -> None:
    """What a reader copies from the page is what is tested here."""
    for path in FILES.iterdir():
        if path.is_file():
            assert path.read_text(encoding="utf-8").strip() in GUIDE, path.name


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("system", "code"), [("bm25-2", 0), ("ql-1", 2)])
def test_the_workflow_of_github_runs(system: str, code: int) -> None:
    """Every command of it, in order: the result reaches the page of the run and the artifacts."""
    answer(system)
    (job,) = GITHUB["jobs"].values()
    codes = run_steps([step["run"] for step in job["steps"] if "run" in step])
    assert codes == [0, code, 0]
    assert "| nDCG@10 |" in Path("summary.md").read_text(encoding="utf-8")
    assert Path("gate.xml").is_file()
    kept = next(step["with"]["path"] for step in job["steps"] if "upload" in step.get("uses", ""))
    assert all(Path(path).is_file() for path in kept.split())


@pytest.mark.usefixtures("project")
def test_the_workflow_of_gitlab_runs() -> None:
    """Every command of it; the report and the artifact are where it says."""
    job = GITLAB["search-quality"]
    assert run_steps(job["script"]) == [0, 0]
    assert Path(job["artifacts"]["reports"]["junit"]).is_file()
    assert all(Path(path).is_file() for path in job["artifacts"]["paths"])
    assert job["allow_failure"]["exit_codes"] == 2


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("system", "verdict"), [("bm25-2", "passed"), ("ql-1", "failed")])
def test_the_example_for_pytest_runs(system: str, verdict: str) -> None:
    """It passes with a better candidate, and shows the verdict of one that cannot be told."""
    Path("candidate.run").write_bytes(Path(f"demo/runs/{system}.run").read_bytes())
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "."]
    example = str(FILES / "test_release.py")
    ended = subprocess.run(  # noqa: S603 -- our own interpreter
        [*words, "-c", os.devnull, example], capture_output=True, text=True, check=False
    )
    assert f"1 {verdict}" in ended.stdout, ended.stdout + ended.stderr
    assert ("is not known" in ended.stdout) == (verdict == "failed")


def test_the_options_of_the_guide_are_read(project: Path, run: Command) -> None:
    """The table of options stands as it is in a pyproject.toml."""
    (table,) = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    (project / "pyproject.toml").write_text(table)
    assert run("gate", "search/qrels.txt", "demo/runs/bm25-2.run").exit_code == 0
    assert run("gate", "search/qrels.txt", "demo/runs/ql-1.run").exit_code == 1


def test_the_rates_of_the_guide_are_those_of_the_validation() -> None:
    """Every row of numbers is on both pages."""
    validated = (ROOT / "validate" / "VALIDATION.md").read_text(encoding="utf-8")
    rows = [line for line in GUIDE.splitlines() if line.startswith("|") and "%" in line]
    assert len(rows) > 30
    assert not [row for row in rows if row not in validated]


def test_every_measure_and_option_of_the_guide_exists(run: Command) -> None:
    """An option that is only on the page helps nobody."""
    text = "".join(run(command, "--help").stdout for command in ("gate", "similarity", "power"))
    named = set(re.findall(r"(?<![\w-])--[a-z-]+[a-z]", GUIDE))
    assert not [option for option in named if option not in text]
    assert pw.parse_measure("nDCG@10")
