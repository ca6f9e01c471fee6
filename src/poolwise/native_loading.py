"""Where native libraries are found, and whether they are wanted."""

import ctypes
import os
import sys
from pathlib import Path

__all__ = ["SWITCH", "load_library"]

SWITCH = "POOLWISE_NATIVE"
"""A variable of the environment that is 0 where no native library is to be used."""


def load_library(beside: str, name: str) -> ctypes.CDLL | None:
    """Return the library of this name in a module's folder; None where there is none to use.

    It may be that it could not be built, or not for this system; or that nobody wants it. All that
    it does is then done in Python: slower, and with the same results.
    """
    suffix = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    if os.environ.get(SWITCH) == "0":
        return None
    try:
        return ctypes.CDLL(str(Path(beside).with_name(f"_{name}.{suffix}")))
    except OSError:
        return None
