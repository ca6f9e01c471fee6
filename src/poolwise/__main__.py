"""Run the command, as a module (``python -m poolwise``) or as the program ``poolwise``."""

import signal

__all__ = ["main"]


def main() -> None:
    """Load the command and run it; Ctrl-C while it loads ends it without a word."""
    # Python would print a traceback: what turns an interruption into a sentence is not there yet.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from poolwise.cli.main import main as run  # noqa: PLC0415 -- after the line above

    run()


if __name__ == "__main__":
    main()
