"""A test that skips for want of a program is seen, where the program should be there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.skip_reasons import JOB, refused

ROOT = Path(__file__).parents[1]
SKIPPING = """
import pytest

def test_skips():
    pytest.skip({reason!r})
"""


@pytest.mark.parametrize(
    ("job", "reason", "allowed"),
    [
        ("ci", "chromium is not installed", False),
        ("ci", "pdflatex is not installed", False),
        ("ci", "no data at ../data: set POOLWISE_DATA to a folder", True),
        ("ci", "ray is not installed: poolwise[ray]", True),
        ("engines", "ray is not installed: poolwise[ray]", False),
        ("engines", "Spark needs a Java, and there is none on the path", False),
        ("Linux", "signals of POSIX", False),
        ("Windows", "signals of POSIX", True),
        ("ci", "a reason that nobody has heard of", False),
        ("no such job", "chromium is not installed", False),
    ],
)
def test_each_job_allows_its_own_reasons(job: str, reason: str, allowed: bool) -> None:  # noqa: FBT001 -- drawn
    """What another job runs may be missing; what this one should have may not."""
    assert refused([reason], job) == ([] if allowed else [reason])


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
@pytest.mark.parametrize(
    ("reason", "code"), [("chromium is not installed", 1), ("npm is not installed", 0)]
)
def test_a_session_fails_by_a_reason_that_is_not_allowed(
    tmp_path: Path, reason: str, code: int, workers: tuple[str, ...]
) -> None:
    """Alone and with workers, the run ends with 1 and says which reason it was."""
    test = tmp_path / "test_it.py"
    test.write_text(SKIPPING.format(reason=reason))
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text())
    words = [sys.executable, "-m", "pytest", "-q", *workers, "-p", "no:cacheprovider"]
    ended = subprocess.run(  # noqa: S603 -- our own interpreter
        [*words, "--rootdir", str(tmp_path), "-c", os.devnull, str(test)],
        env={**os.environ, JOB: "ci", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert ("not allowed by POOLWISE_SKIPS=ci" in ended.stdout) == bool(code)


def test_the_gate_of_a_change_knows_its_reasons() -> None:
    """.ci/run names its job, so that a browser that could not be installed is a failure."""
    assert f"{JOB}=ci make test" in (ROOT / ".ci/run").read_text()
