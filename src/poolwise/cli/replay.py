"""``poolwise replay``: run again what made a file, and say whether it is still true."""

import os
from contextlib import chdir, nullcontext, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from poolwise.cli._delivery import Delivery, replaying
from poolwise.cli._option_forms import switch
from poolwise.cli._output import emit
from poolwise.cli._parameter_types import argument, command
from poolwise.cli._program import ExitCode
from poolwise.errors import InputError

if TYPE_CHECKING:
    from poolwise.results._records import Record

__all__ = ["replay"]

_NOT_AGAIN = {"replay"}


@command(short_help="Run again what made FILE, and check whether it comes out the same.")
@argument(
    "file",
    type=click.Path(path_type=Path),
    help_text="Make the numbers of this file again, by the provenance in it or beside it.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False),
    default=".",
    show_default=True,
    help="Start the paths of the command from this folder, in which it was run.",
)
@switch(
    "--addresses",
    text="Read what the command read from http, s3, ir_datasets or another place elsewhere; by "
    "default it is refused.",
)
@click.pass_context
def replay(context: click.Context, file: Path, *, folder: str, addresses: bool) -> None:
    """Run the command again that made FILE, write nothing, and compare.

    FILE is a file that poolwise wrote: JSON, Parquet, Markdown, LaTeX, HTML, the page of a report,
    or the NAME.provenance.json beside any other. The exit code is 0 if inputs and numbers are the
    same, and 1 if they are not.
    """
    from poolwise.provenance._files import without_writing
    from poolwise.results._record_files import find_record
    from poolwise.results._replays import replay_of
    from poolwise.workflows._named_files import without_addresses

    record = find_record(file)
    elsewhere = nullcontext() if addresses else without_addresses()
    # Commands that keep something, as a journal does, would keep it a second time.
    with chdir(folder), elsewhere, without_writing():
        again = _run_again(context.find_root().command, file, record)
    replayed = replay_of(file, record, again.replayed)
    emit("".join(f"{sentence}\n" for sentence in replayed.sentences))
    context.exit(ExitCode.DONE if replayed.same else ExitCode.NO)


def _run_again(program: click.Command, file: Path, record: "Record") -> Delivery:
    """Run the command of a record so that it keeps its results and writes nothing."""
    words, delivery = _words(file, record["command"]), Delivery()
    # --version and --help end early, with code 0, and print: neither is a result.
    with (
        suppress(click.exceptions.Exit),
        redirect_stdout(StringIO()),
        program.make_context("poolwise", words) as context,
    ):
        delivery = replaying(context)
        program.invoke(context)
    if not delivery.replayed:
        raise InputError(str(file), "its command makes no numbers", remedy="name another file")
    return delivery


def _words(file: Path, command: Any) -> list[str]:
    """Return the words of a command, if it is one that can be run again."""
    words = [word for word in command if isinstance(word, str)]
    # A record could name a replay of itself, which would never end.
    whole = len(words) == len(command) and all(_is_typed(word) for word in words)
    if not words or not whole or _NOT_AGAIN & set(words):
        raise InputError(
            str(file),
            "the provenance must hold the command that made the numbers",
            remedy="name a file that a command wrote; what Python wrote holds none",
        )
    return words


def _is_typed(word: str) -> bool:
    """Say whether a word is one that a shell could have given to a program."""
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False
