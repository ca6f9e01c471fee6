"""``poolwise campaign serve``: the judging room, for assessors and organisers."""

import sys
from typing import TYPE_CHECKING

import click

from poolwise.cli._option_forms import names_option
from poolwise.cli._options import stack
from poolwise.cli._output import emit, warn
from poolwise.cli._parameter_types import argument, command
from poolwise.cli._program import in_its_own_time
from poolwise.words import visible

if TYPE_CHECKING:
    from poolwise.server._address import Address

__all__ = ["serve"]

_where = stack(
    click.option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        metavar="ADDRESS",
        help="Listen at this address; others than 127.0.0.1 are open to other machines.",
    ),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8765,
        show_default=True,
        help="Listen at this port; 0 takes one that is free.",
    ),
    click.option(
        "--public-url",
        default="",
        metavar="URL",
        help="Address that people open, where a proxy with https stands before the server.",
    ),
)


@command(short_help="Serve the pages of assessors and organisers.")
@argument("folder", metavar="CAMPAIGN", type=click.Path(), help_text="Folder of the campaign.")
@names_option(
    "--assessor",
    "assessors",
    default="one, where nobody has a link yet",
    text="Make a personal link for this person.",
)
@_where
def serve(
    folder: str, *, assessors: tuple[str, ...], host: str, port: int, public_url: str
) -> None:
    """Serve the judging room of CAMPAIGN: a page for assessors, and one for organisers.

    Everybody has a personal link. Only its hash is kept, so that it is shown once; the organiser
    gets a new one whenever the server starts, and can make more for assessors. Nothing is asked of
    any other machine. The server runs until it is ended with Ctrl+C, which loses nothing.
    """
    from poolwise import server

    with in_its_own_time():
        server.serve(
            folder,
            host=host,
            port=port,
            public_url=public_url,
            assessors=assessors,
            ready=_tell,
        )


def _tell(campaign: str, address: "Address", links: dict[str, str]) -> None:
    """Print where the room is, and the links, as soon as people can come."""
    warn(address.warnings())
    width = max(map(len, links))
    lines = [f"  {visible(name):{width}}  {link}" for name, link in links.items()]
    emit(
        f"{visible(campaign)} is open at {address.url}\n"
        "Personal links, each for one person; they are shown this once:\n"
        + "\n".join(lines)
        + "\nCtrl+C ends the server; nothing that was saved is lost.\n"
    )
    sys.stdout.flush()  # a file or a pipe gets the links while the server runs
