"""Programs as processes of their own, and what they used."""

import compileall
import resource
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import poolwise

# A process is told the most memory that the one it came from ever had as its own: this one, which
# starts what is measured, has loaded next to nothing.
_STARTER = """
import os, sys, time
started = time.perf_counter()
nowhere = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
one = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[nowhere])
_, status, used = os.wait4(one, 0)
print(time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Used(NamedTuple):
    """What a program took: seconds by the clock and of all processors, and its most memory."""

    seconds: float
    processor: float
    megabytes: float


def compile_modules() -> None:
    """Compile the modules: an installed package has them so, a source tree that changed has not."""
    compileall.compile_dir(Path(poolwise.__file__).parent, quiet=1)


def timed_process(command: list[str]) -> Used:
    """Run a program, and return what it took."""
    starter = [sys.executable, "-I", "-S", "-c", _STARTER]
    ran = subprocess.run([*starter, *command], stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{command[:3]} ended with {ran.returncode}")
    return Used(*map(float, ran.stdout.split()))


def peak_megabytes() -> float:
    """Return the most memory that this process has held, as far as the system tells that alone."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = status.read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
