"""Run the command, as a module (``python -m poolwise``) or as the program ``poolwise``."""

import gc
import os
import signal

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


if __name__ == "__main__":
    main()
