"""Serving a campaign: the room, its links, and the server around them."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from poolwise.errors import MissingExtraError, OutputError
from poolwise.server._address import Address

if TYPE_CHECKING:
    import socket

    import uvicorn

    from poolwise.server._guard import Guard
    from poolwise.workflows.campaigns._room import CampaignRoom

__all__ = ["links_of", "listening", "serve", "uvicorn_server"]

_ORGANISER = "organiser"
_FIRST_ASSESSOR = "assessor 1"
_MOST_AT_ONCE = 500
"""Connections that are served at one time."""


def links_of(
    room: "CampaignRoom", address: Address, assessors: Iterable[str] = ()
) -> dict[str, str]:
    """Make personal links: one for an organiser, and one for each assessor that is named.

    Only the hashes of links are kept, so that none can be shown again: an organiser gets a new one
    whenever a server starts. Where nobody has a link yet, a first assessor gets one, too.

    Parameters
    ----------
    room
        The open campaign.
    address
        Where it is reached.
    assessors
        Names of people who judge.

    Returns
    -------
    dict from str to str
        Links by who they are for.
    """
    names = list(assessors)
    if not names and not any(person.kind == "assessor" for person in room.people()):
        names = [_FIRST_ASSESSOR]
    for person in room.people():
        if person.name == _ORGANISER:
            room.retire(_ORGANISER, by=_ORGANISER)
    kinds = {_ORGANISER: "organiser"} | dict.fromkeys(names, "assessor")
    return {name: address.link(room.invite(name, kind)) for name, kind in kinds.items()}


def serve(
    folder: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    public_url: str = "",
    assessors: Iterable[str] = (),
    ready: Callable[[str, Address, dict[str, str]], None] = lambda *_told: None,
) -> None:
    """Serve a campaign to its assessors and organisers until the process is ended.

    Parameters
    ----------
    folder
        The campaign; a second server on it is refused.
    host, port
        Where to listen; port 0 takes a free one.
    public_url
        What people open where a proxy stands before the server.
    assessors
        Names of people for whom personal links are made.
    ready
        What is told the name of the campaign, its address and the links.
    """
    try:
        from poolwise.server._app import make_app  # noqa: PLC0415 -- needs optional packages
    except ImportError as error:
        raise MissingExtraError("starlette", "judging") from error
    from poolwise.workflows.campaigns._room import CampaignRoom  # noqa: PLC0415 -- late: numbers

    with listening(host, port) as listener, CampaignRoom(folder) as room:
        address = Address(host, listener.getsockname()[1], public_url)
        ready(room.settings.name, address, links_of(room, address, assessors))
        with suppress(KeyboardInterrupt):
            uvicorn_server(make_app(room, address)).run(sockets=[listener])


def uvicorn_server(app: "Guard") -> "uvicorn.Server":
    """Return the server around an application, with bounds on what it takes at one time."""
    try:
        import uvicorn  # noqa: PLC0415 -- optional package
    except ImportError as error:
        raise MissingExtraError("uvicorn", "judging") from error
    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # who asks when is nobody's business
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        limit_concurrency=_MOST_AT_ONCE,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(settings)


def listening(host: str, port: int) -> "socket.socket":
    """Listen before anything else is done: a port that is taken is the commonest of errors."""
    import socket  # noqa: PLC0415 -- for a server alone

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named, or asyncio would leave small packets to wait for one another.
    listener = socket.socket(family, proto=socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise OutputError(
            f"{host}:{port}",
            f"a server must be able to listen there: {error.strerror}",
            remedy="choose another port with --port, or 0 for any that is free",
        ) from error
    return listener
