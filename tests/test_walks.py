"""A reader walks through few modules: as many as a command runs, and no more than its limit."""

import subprocess
import sys
from pathlib import Path


def test_commands_run_few_modules() -> None:
    """evaluate, compare and report on two runs of the demo, in the second call of a process."""
    script = Path(__file__).with_name("count_modules.py")
    words = [sys.executable, str(script), "--limits", "--names"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    assert ran.returncode == 0, ran.stdout + ran.stderr
