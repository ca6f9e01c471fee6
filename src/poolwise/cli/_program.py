"""How the program begins and ends, and what it says when it fails."""

import atexit
import codecs
import gc
import io
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import IntEnum
from io import StringIO
from time import sleep
from types import FrameType
from typing import Any, NoReturn, TextIO

import click

from poolwise.cli._delivery import for_standard_error
from poolwise.errors import PoolwiseError, remedy_of
from poolwise.results._ending import let_libraries_end_with
from poolwise.words import visible

__all__ = [
    "EndedError",
    "ExitCode",
    "ReaderGoneError",
    "as_a_program",
    "end_by_signal",
    "ending_of",
    "in_its_own_time",
    "leave",
    "show_traceback",
    "write_questions",
]


class ReaderGoneError(Exception):
    """Whoever read our output (head, less) has seen enough; click takes a BrokenPipeError for 1."""


class ExitCode(IntEnum):
    """What the exit code of a command says; it is the same for every command."""

    DONE = 0
    NO = 1
    UNDECIDED = 2
    WRONG_INPUT = 3
    OUR_FAULT = 4
    INTERRUPTED = 130


def ending_of(call: Callable[[], Any]) -> int:
    """Run a command, say what went wrong if anything did, and return the exit code."""
    try:
        result = call()
        _flush()
    except (BrokenPipeError, ReaderGoneError):
        _leave_standard_output()
        return ExitCode.DONE
    except SystemExit as ended:  # as click ends what a shell asks for completion
        _flush()
        return ended.code if isinstance(ended.code, int) else ExitCode.DONE
    except KeyboardInterrupt:  # click tells it within a command; this is before or after one
        click.echo("Interrupted.", err=True)
        return ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 -- whatever it is, a user reads a sentence
        return _told(error)
    return result if isinstance(result, int) else ExitCode.DONE


_INTERRUPTED = threading.Event()
"""Whether somebody typed Ctrl-C, whatever has come of it."""


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    _INTERRUPTED.set()
    signal.default_int_handler(number, frame)


def show_traceback(error: BaseException) -> None:
    """Print where an error came from, for those who asked for it."""
    click.echo("".join(traceback.format_exception(error)), err=True, nl=False)


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _told(error: Exception) -> ExitCode:
    """Print an error as a sentence, and return its exit code."""
    # click turns both an interruption and the end of standard input into Abort; a module that was
    # being loaded may make any error of one.
    is_abort = isinstance(error, click.Abort) and isinstance(error.__cause__, KeyboardInterrupt)
    if is_abort or _INTERRUPTED.is_set():
        click.echo("Interrupted.", err=True)
        return ExitCode.INTERRUPTED
    if isinstance(error, click.ClickException):
        page = StringIO()
        error.show(page)
        click.echo(for_standard_error(page.getvalue()), err=True, nl=False)
        return ExitCode.WRONG_INPUT
    sentence, code = _sentence(error)
    click.echo(for_standard_error(visible(f"Error: {sentence}")), err=True)
    if isinstance(error, OSError):
        _leave_standard_output()
    return code


def _sentence(error: Exception) -> tuple[str, ExitCode]:
    if isinstance(error, PoolwiseError):
        return str(error), ExitCode.WRONG_INPUT
    if isinstance(error, MemoryError) or _is_want_of_memory(error):
        return (
            "there is not enough memory for this. Hint: give fewer runs or a measure with a "
            "cut-off, or raise the limit (ulimit -v)."
        ), ExitCode.WRONG_INPUT
    if isinstance(error, click.Abort | EOFError):
        return "standard input ended too soon. Hint: give files.", ExitCode.WRONG_INPUT
    if isinstance(error, OSError):
        return _of_system(error), ExitCode.WRONG_INPUT
    return _of_ours(error), ExitCode.OUR_FAULT


def _is_want_of_memory(error: Exception) -> bool:
    """Say whether a library could not be loaded since there is no room for it."""
    words = ("failed to map segment", "cannot allocate memory")
    return isinstance(error, ImportError) and any(word in str(error).lower() for word in words)


def _of_system(error: OSError) -> str:
    """Say what the system refused, and where."""
    where = error.filename if error.filename is not None else "standard output"
    reason = error.strerror or type(error).__name__
    remedy = remedy_of(error, "check the path and your rights there")
    return f"{where}: {reason[:1].lower()}{reason[1:]}. Hint: {remedy}, and run the command again."


def _of_ours(error: Exception) -> str:
    import platform

    from poolwise.version import __version__

    what = traceback.format_exception_only(error)[-1].strip().rstrip(".")
    return (
        f"poolwise made a mistake of its own: {what}. No file was changed after it. Hint: please "
        "report this to its developers with what the same command prints after `poolwise --debug` "
        f"(poolwise {__version__}, Python {platform.python_version()}, "
        f"{platform.system()})."
    )


def _leave_standard_output() -> None:
    """Drop what could not be written, or Python would try again, and complain, as it ends."""
    import os

    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):  # standard output is no file of the system, as in tests
        place = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, place)
        os.close(nowhere)


_GRACE = 0.3
"""Seconds that an interrupted command has to tidy up."""
_BYTES_AS_TEXT = range(0xDC80, 0xDD00)
"""Code points that stand for bytes which are not UTF-8 (PEP 383)."""


@contextmanager
def as_a_program() -> Iterator[None]:
    """Set up streams, warnings and interruption for one command."""
    # Ids may hold bytes that are not UTF-8, and a terminal may lack characters: neither may end a
    # command whose work is done.
    codecs.register_error("poolwise", _write_anyway)
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            _occupy(number)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="poolwise")  # type: ignore[union-attr] # it is a text file
    if sys.stderr is not None:
        sys.stderr = _patient(sys.stderr)
    let_libraries_end_with(ExitCode.WRONG_INPUT)
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
    # All is written: an interruption from here on has nothing to undo, and nothing to say.
    for number in (signal.SIGINT, *_ENDINGS):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    # As Python does it, and in its order, which is the only way to end as others expect: joblib
    # tells its workers to end in the first, and waits for them in the second.
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001
    atexit._run_exitfuncs()  # noqa: SLF001
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


class _PatientFile(io.RawIOBase):
    """Standard error, where nobody can be told that it cannot be written to.

    A note that is lost, since a disk is full or a reader has gone, changes no result and no code.
    """

    def __init__(self, number: int) -> None:
        self._number = number

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return os.isatty(self._number)

    def write(self, content: Any) -> int:
        with suppress(OSError):
            return os.write(self._number, content)
        return len(content)


def _patient(stream: TextIO) -> TextIO:
    """Return the same stream, which never fails; what is no file of the system as it is."""
    with suppress(OSError, ValueError):
        raw = io.BufferedWriter(_PatientFile(stream.fileno()))
        return io.TextIOWrapper(raw, stream.encoding, "poolwise", line_buffering=True)
    return stream


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
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # so that nothing was said before this
        signal.signal(signal.SIGINT, _interrupt)
    if os.name != "posix":
        yield
        return
    read_end, tell = os.pipe()
    # Python writes to it from a signal handler, which must not wait.
    os.set_blocking(tell, False)
    before = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    for number in _ENDINGS:
        # What is ignored stays so: nohup wants it.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end_by)
    threading.Thread(target=_end_when_told, args=(read_end,), daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)


@contextmanager
def in_its_own_time() -> Iterator[None]:
    """Let a server that was told to end answer first what it was asked."""
    before = signal.set_wakeup_fd(-1)  # what _interruptible waits at
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)


class EndedError(BaseException):
    """Somebody wants the process to end; workers and hidden files are to go before it does."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end a process, and that would leave its workers behind."""


def _end_by(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # once is enough
    raise EndedError(number)


def end_by_signal(number: int) -> NoReturn:
    """End as the signal would have ended the process, so that whoever waits for it knows."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _end_when_told(read_end: int) -> None:
    ends = {bytes([number]): number for number in (signal.SIGINT, *_ENDINGS)}
    while (number := ends.get(os.read(read_end, 1))) is None:
        pass
    sleep(_GRACE)
    _show_cursor(sys.stderr)
    # Signals have their handlers in the main thread, which may be busy: the code says what it was.
    os._exit(128 + number)


def _show_cursor(stream: TextIO | None) -> None:
    """Show the cursor, which a bar of progress hides."""
    if stream is not None and stream.isatty():
        os.write(stream.fileno(), b"\x1b[?25h")


def write_questions(
    formatter: click.HelpFormatter,
    questions: Mapping[str, Iterable[str]],
    commands: Mapping[str, click.Command],
) -> None:
    """Write one section per question, with the commands that answer it.

    Examples
    --------
    >>> formatter = click.HelpFormatter()
    >>> asked = {"How many?": ["count"]}
    >>> count = click.Command("count", help="Count documents.")
    >>> write_questions(formatter, asked, {"count": count})
    >>> print(formatter.getvalue().strip())
    How many?
      count  Count documents.
    """
    for question, names in questions.items():
        formatter.write_paragraph()
        formatter.write(f"{question}\n")  # a section would put a colon behind the question
        with formatter.indentation():
            formatter.write_dl([(n, commands[n].get_short_help_str(60)) for n in names])
