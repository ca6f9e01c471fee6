"""Run the command, as a module (``python -m poolwise``) or as the program ``poolwise``."""

import gc
import os
import signal
import sys
from types import ModuleType

__all__ = ["main"]


def main() -> None:
    """Load the command and run it; Ctrl-C while it loads ends it without a word."""
    # Python would print a traceback: what turns an interruption into a sentence is not there yet.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _start_soon()
    from poolwise.cli.main import main as run  # noqa: PLC0415 -- after the line above

    run()


def _start_soon() -> None:
    """Leave out what costs a program that ends soon more than it saves."""
    # Loading modules makes many objects, and no rubbish.
    gc.set_threshold(100_000, 10, 10)
    # numpy's linear algebra would keep a processor busy waiting for its first problem.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    _leave_out_docstrings()
    _keep_memory()


_DOCSTRINGS = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")
"""Modules that are loaded for what they do: they give numpy's compiled functions docstrings."""


def _leave_out_docstrings() -> None:
    """Let numpy take these for loaded: no command shows them, and -OO leaves them out as well."""
    for name in _DOCSTRINGS:
        sys.modules.setdefault(name, ModuleType(name))


_TRIM, _MAP = -1, -3
"""``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's ``mallopt``."""


def _keep_memory() -> None:
    """Keep the memory of arrays that are done for the next ones: new pages cost more than sums."""
    if sys.platform != "linux":
        return
    from ctypes import CDLL  # noqa: PLC0415 -- what reads files needs it anyway

    adjust = getattr(CDLL(None), "mallopt", None)
    if adjust is not None:  # musl has none
        adjust(_MAP, 32 << 20)
        adjust(_TRIM, 1 << 30)


if __name__ == "__main__":
    main()
