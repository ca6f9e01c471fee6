"""What a command needs as a program: its streams, and an end when it is interrupted."""

import atexit
import codecs
import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import sleep
from typing import NoReturn, TextIO

__all__ = ["as_a_program", "leave"]

_GRACE = 0.3
"""Seconds that an interrupted command has to tidy up."""
_BYTES_AS_TEXT = range(0xDC80, 0xDD00)
"""Code points that stand for bytes which are not UTF-8 (PEP 383)."""


@contextmanager
def as_a_program() -> Iterator[None]:
    """Set up streams, warnings and interruption for one command."""
    codecs.register_error("poolwise", _write_anyway)
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            _occupy(number)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="poolwise")  # type: ignore[union-attr] # it is a text file
    # Many threads of one matrix product cost more than they bring here, and may round otherwise.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with warnings.catch_warnings(), _interruptible(), _few_collections():
        if not sys.warnoptions:  # Warnings are for developers; findings say what users must know.
            warnings.simplefilter("ignore")
        yield


def leave(code: int) -> NoReturn:
    """End the process when all is written, without taking apart first what it has in memory.

    The system takes that back as a whole, and in a tenth of the time.
    """
    atexit._run_exitfuncs()  # noqa: SLF001 -- the only way to end as others expect it, but for that
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Look for garbage seldom: what a short command makes, it mostly keeps."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _occupy(number: int) -> None:
    """Keep a file that is opened later from taking the place of a closed standard stream."""
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def _write_anyway(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write bytes of an id as they were read, and what an encoding lacks as an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    code = ord(error.object[error.start])
    if code in _BYTES_AS_TEXT:
        return bytes([code - 0xDC00]), error.start + 1
    return error.object[error.start].encode("ascii", "backslashreplace"), error.start + 1


@contextmanager
def _interruptible() -> Iterator[None]:
    """End soon after Ctrl-C, even while native code reads or other threads work.

    Python raises KeyboardInterrupt when the main thread comes back to it; a thread waits for the
    signal itself, and ends the process where that takes too long.
    """
    if os.name != "posix":
        yield
        return
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    before = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    Thread(target=_end_when_told, args=(told,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)


def _end_when_told(told: int) -> None:
    while os.read(told, 1) != bytes([signal.SIGINT]):
        pass
    sleep(_GRACE)
    _show_cursor(sys.stderr)
    os._exit(128 + signal.SIGINT)


def _show_cursor(stream: TextIO | None) -> None:
    """Show the cursor, which a bar of progress hides."""
    if stream is not None and stream.isatty():
        os.write(stream.fileno(), b"\x1b[?25h")
