"""Programs as processes of their own, and what they used."""

import compileall
import os
import resource
import subprocess
import time
from pathlib import Path

import poolwise


def compile_modules() -> None:
    """Compile the modules: an installed package has them so, a source tree that changed has not."""
    compileall.compile_dir(Path(poolwise.__file__).parent, quiet=1)


def timed_process(command: list[str]) -> tuple[float, resource.struct_rusage]:
    """Run a program; return its seconds by the clock, and what it used."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"{command[:3]} ended with {process.returncode}")
    return seconds, used


def processor_seconds(used: resource.struct_rusage) -> float:
    """Return the seconds of all processors."""
    return used.ru_utime + used.ru_stime
