"""Who asks: the token of a personal link, in a cookie that no script can read."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from poolwise.server._address import Address
from poolwise.server._guard import JSONAnswer, RefusedError
from poolwise.server._limits import Rate

if TYPE_CHECKING:
    from poolwise.workflows.campaigns._room import CampaignRoom
    from poolwise.workflows.campaigns._state import Person

__all__ = ["HOMES", "Answering", "People", "body_of", "members_of"]

HOMES = {"assessor": "judge", "organiser": "organise"}
"""The page of each kind of person."""
_DAYS = 60
_LONGEST_TOKEN = 200
_SECONDS = 20
_FOREIGN = "This link is not valid, or not any more. Ask the organiser for a new one."
_NOBODY = "Open your personal link first."

Answering = Callable[[Request, "Person"], Awaitable[Response]]
"""What answers a person."""


class People:
    """Tells who asks, and how often each may.

    By a cookie, since no script of a page can read it, and since a frame with a document sends it,
    too. It goes to no other site (``SameSite=Strict``), and by https alone where that is how people
    come. Each kind of person has a cookie of its own, and so has each campaign.
    """

    def __init__(self, room: "CampaignRoom", address: Address) -> None:
        self.room, self.address = room, address
        self.campaign = sha256(str(room.folder.path.resolve()).encode()).hexdigest()[:12]
        self._asked = Rate(most=200, a_second=30)
        self._failed = Rate(most=60, a_second=1)

    def _cookie(self, kind: str) -> str:
        return f"poolwise-{kind}-{self.campaign}"

    async def who(self, request: Request, kind: str) -> "Person":
        """Return who asks, or refuse: everybody has one page."""
        token = request.cookies.get(self._cookie(kind), "")
        person = None
        # In a thread, since it waits for the lock of the room, and others are to be answered.
        if 0 < len(token) <= _LONGEST_TOKEN:
            person = await run_in_threadpool(self.room.who, token)
        if person is None or person.kind != kind:
            # No cookie is no guess: only what could be one counts against the address.
            if not token:
                raise RefusedError(401, _NOBODY)
            self._fail(request)
            raise RefusedError(401, _FOREIGN)
        if not self._asked.allows(person.name):
            raise RefusedError(429, "Too many requests; wait a moment.")
        return person

    def _fail(self, request: Request) -> None:
        if not self._failed.allows(request.client.host if request.client else ""):
            raise RefusedError(429, "Too many requests without a valid link; wait a minute.")

    async def enter(self, request: Request) -> Response:
        """Take the token of a personal link, and keep it in a cookie."""
        token = (await body_of(request)).get("token")
        person = None
        if isinstance(token, str) and 0 < len(token) <= _LONGEST_TOKEN:
            person = await run_in_threadpool(self.room.login, token)
        if person is None:
            self._fail(request)
            raise RefusedError(401, _FOREIGN)
        answer = JSONAnswer({"to": HOMES[person.kind]})
        answer.set_cookie(
            self._cookie(person.kind),
            str(token),
            max_age=_DAYS * 24 * 3600,
            path=self.address.path,
            secure=self.address.is_secure,
            httponly=True,
            samesite="strict",
        )
        return answer

    def only(self, kind: str, answer: Answering) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers this kind of person, and refuses everybody else."""

        async def checked(request: Request) -> Response:
            return await answer(request, await self.who(request, kind))

        return checked


async def body_of(request: Request) -> dict[str, Any]:
    """Return the JSON object that was sent, or refuse."""
    try:
        # Whoever sends a byte now and then would hold a connection for ever.
        async with asyncio.timeout(_SECONDS):
            content = json.loads(await request.body())
    except TimeoutError as error:
        raise RefusedError(408, "What is sent must come at once.") from error
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, "What is sent must be JSON in UTF-8.") from error
    if not isinstance(content, dict):
        raise RefusedError(400, "What is sent must be a JSON object.")
    return content


def members_of(sent: dict[str, Any], **kinds: type | tuple[type, ...]) -> list[Any]:
    """Return the members of what was sent, each of its kind, or refuse.

    Examples
    --------
    >>> members_of({"name": "Ann", "count": 3}, name=str, count=int)
    ['Ann', 3]
    """
    for name, kind in kinds.items():
        value = sent.get(name)
        # True is a whole number to Python, and would pass for a count or a grade.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise RefusedError(400, f"{name}: is missing, or of another kind.")
    return [sent.get(name) for name in kinds]
