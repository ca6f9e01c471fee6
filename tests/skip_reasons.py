"""Tests that skip without a reason that their job allows: a plugin of pytest, and its rule."""

import os
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

__all__ = ["JOB", "SkipReasons", "refused"]

JOB = "POOLWISE_SKIPS"
"""The variable that names the job."""
_LIST = Path(__file__).with_name("skips.toml")
_NOT_OF_ENGINES = ("ray is", "pyspark is", "Spark needs")


def refused(reasons: Iterable[str], job: str) -> list[str]:
    """Return the reasons that a job does not allow; a job that is not in the list allows none.

    Examples
    --------
    >>> refused(["chromium is not installed", "no data at /nowhere"], "ci")
    ['chromium is not installed']
    """
    rules = tomllib.loads(_LIST.read_text("utf-8"))
    common = [reason for reason in rules["everywhere"] if job != "engines" or _may_lack(reason)]
    allowed = [*common, *rules["jobs"].get(job, ())]
    return sorted(
        {reason for reason in reasons if not any(re.fullmatch(a, reason) for a in allowed)}
    )


def _may_lack(pattern: str) -> bool:
    return not pattern.startswith(_NOT_OF_ENGINES)


class SkipReasons:
    """Counts why tests were skipped, and fails the session where a reason is not allowed."""

    def __init__(self) -> None:
        self.reasons: set[str] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep why a test was skipped; one that is expected to fail is none."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self._keep(report)

    def pytest_collectreport(self, report: Any) -> None:
        """Keep why a whole module was skipped."""
        if report.skipped:
            self._keep(report)

    def _keep(self, report: Any) -> None:
        if isinstance(report.longrepr, tuple):
            self.reasons.add(str(report.longrepr[2]).removeprefix("Skipped: "))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail where something was skipped in silence."""
        if refused(self.reasons, os.environ[JOB]) and not hasattr(session.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say which reasons are not allowed."""
        for reason in refused(self.reasons, os.environ[JOB]):
            where = f"{JOB}={os.environ[JOB]} (tests/skips.toml)"
            terminalreporter.write_line(f"SKIPPED, and not allowed by {where}: {reason}", red=True)
