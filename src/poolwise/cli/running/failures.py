"""Every way a command can end, as one sentence and one exit code: the only place that decides."""

import errno
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from io import StringIO
from typing import Any

import click

from poolwise.cli.running.window import for_standard_error
from poolwise.errors import PoolwiseError
from poolwise.words import visible

__all__ = ["ExitCode", "ReaderGoneError", "ending_of", "show_traceback"]


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


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def ending_of(call: Callable[[], Any]) -> int:
    """Run a command, say what went wrong if anything did, and return the exit code."""
    try:
        result = call()
        _flush()
    except (BrokenPipeError, ReaderGoneError):
        _leave_standard_output()
        return ExitCode.DONE
    except Exception as error:  # noqa: BLE001 -- whatever it is, a user reads a sentence
        return _told(error)
    return result if isinstance(result, int) else ExitCode.DONE


def show_traceback(error: BaseException) -> None:
    """Print where an error came from, for those who asked for it."""
    click.echo("".join(traceback.format_exception(error)), err=True, nl=False)


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _told(error: Exception) -> ExitCode:
    """Print an error as a sentence, and return its exit code."""
    if isinstance(error, click.Abort) and isinstance(error.__cause__, KeyboardInterrupt):
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
    if isinstance(error, MemoryError):
        return (
            "there is not enough memory for this. Hint: give fewer runs or a measure with a "
            "cut-off, or raise the limit (ulimit -v)."
        ), ExitCode.WRONG_INPUT
    if isinstance(error, click.Abort | EOFError):
        return "standard input ended too soon. Hint: give files.", ExitCode.WRONG_INPUT
    if isinstance(error, OSError):
        return _of_system(error), ExitCode.WRONG_INPUT
    return _of_ours(error), ExitCode.OUR_FAULT


def _of_system(error: OSError) -> str:
    """Say what the system refused, and where."""
    where = error.filename if error.filename is not None else "standard output"
    reason = error.strerror or type(error).__name__
    remedy = "make room" if error.errno in _FULL else "check the path and your rights there"
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
