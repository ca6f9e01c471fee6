"""The page of an organiser: how the campaign stands, and what organisers decide."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from poolwise.server._guard import PAGE_POLICY, JSONAnswer, RefusedError, policy
from poolwise.server._people import People, body_of, members_of
from poolwise.views.judging._board import HEADINGS, board_parts
from poolwise.views.judging._html_documents import text_of_html
from poolwise.views.judging._pages import organiser_page
from poolwise.workflows.campaigns._exports import EXPORT_RULES

if TYPE_CHECKING:
    from poolwise.workflows.campaigns._room import Overview
    from poolwise.workflows.campaigns._state import Person

__all__ = ["Organising"]

_POLICY = policy(
    **PAGE_POLICY | {"trusted_types": "parts"},
    style_src_attr="'unsafe-inline'",  # where marks of an axis stand
)
_ONE_RULE = {name: means for name, means in EXPORT_RULES.items() if "NAME" not in name}


class Organising:
    """What an organiser's page asks for."""

    def __init__(self, people: People) -> None:
        self._people, self._room = people, people.room
        self._drawn: tuple[Overview, dict[str, Any]] | None = None

    async def page(self, request: Request, person: "Person") -> Response:
        """Return the page, with its parts as they are now."""
        del request, person
        board = await run_in_threadpool(self._told)
        name = self._room.settings.name
        rules = {**_ONE_RULE, **self._of_one()}
        page = organiser_page(name, board["version"], HEADINGS, board["parts"], rules)
        return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})

    def _of_one(self) -> dict[str, str]:
        """Return the rules that take one person's grades."""
        names = (person.name for person in self._room.people() if person.kind == "assessor")
        return {f"assessor:{name}": f"the grades of {name}" for name in names}

    async def parts(self, request: Request, person: "Person") -> Response:
        """Return the parts anew where something was judged or done since."""
        del person
        board = await run_in_threadpool(self._told)
        if request.query_params.get("seen") == board["version"]:
            board = {"version": board["version"], "live": board["live"]}
        return JSONAnswer(board)

    def _told(self) -> dict[str, Any]:
        """Draw the parts, once for each overview."""
        overview = self._room.overview()
        drawn = self._drawn
        if drawn is None or drawn[0] is not overview:
            drawn = self._drawn = (overview, self._draw(overview))
        return drawn[1]

    def _draw(self, overview: "Overview") -> dict[str, Any]:
        grades = {grade.grade: grade.label for grade in self._room.settings.grades}
        queries = {name: topic.query for name, topic in self._room.topics.items()}
        shown = overview.statuses, overview.assessors, overview.disputes
        parts = board_parts(*shown, grades=grades, queries=queries, done=overview.done)
        drawn = "".join(parts.values()).encode("utf-8", "surrogatepass")
        return {
            "version": sha256(drawn).hexdigest()[:16] + str(overview.paused),
            "live": ", ".join(f"{count:,} {term}" for term, count in overview.assignments.items()),
            "paused": overview.paused,
            "parts": parts,
        }

    async def pause(self, request: Request, person: "Person") -> Response:
        """Hand out no more documents, or go on."""
        (paused,) = members_of(await body_of(request), paused=bool)
        act = self._room.pause if paused else self._room.resume
        await run_in_threadpool(act, person.name)
        return JSONAnswer({"paused": paused})

    async def invite(self, request: Request, person: "Person") -> Response:
        """Make a personal link for an assessor, which is shown once."""
        del person
        (name,) = members_of(await body_of(request), name=str)
        token = await _done(self._room.invite, name)
        return JSONAnswer({"name": name, "link": self._people.address.link(token)})

    async def retire(self, request: Request, person: "Person") -> Response:
        """End all links of an assessor."""
        (name,) = members_of(await body_of(request), name=str)
        assessors = {member.name for member in self._room.people() if member.kind == "assessor"}
        if name not in assessors:
            raise RefusedError(404, "There is no such assessor.")
        await run_in_threadpool(self._room.retire, name, person.name)
        return JSONAnswer({"name": name})

    async def text(self, request: Request, person: "Person") -> Response:
        """Return the text of a document on which somebody is to decide."""
        del person
        topic, document = map(_id, members_of(await body_of(request), topic=str, document=str))
        disputed = {dispute[:2] for dispute in self._room.overview().disputes}
        source = self._room.documents.find(document) if (topic, document) in disputed else None
        if source is None:
            raise RefusedError(404, "There is no such document to decide on.")
        text = text_of_html(source.text) if source.html else source.text
        return JSONAnswer({"text": "\n\n".join(filter(None, [source.title, text]))})

    async def adjudicate(self, request: Request, person: "Person") -> Response:
        """Decide on the grade of a document."""
        topic, document, grade, client_id = members_of(
            await body_of(request), topic=str, document=str, grade=(int, float), client_id=str
        )

        def decide() -> Any:
            key = _id(topic), _id(document)
            return self._room.adjudicate(person.name, *key, grade, client_id=client_id)

        decision = await run_in_threadpool(decide)
        if decision.reason:
            raise RefusedError(400, decision.reason)
        return JSONAnswer(decision._asdict())

    async def export(self, request: Request, person: "Person") -> Response:
        """Write a version of the judgments, and return it."""
        (rule,) = members_of(await body_of(request), rule=str)
        exported = await _done(lambda: self._room.export(rule, by=person.name))
        file = Path(exported.path)
        return JSONAnswer(
            {
                "file": file.name,
                # byte for byte: ids need not be UTF-8
                "qrels": (await run_in_threadpool(file.read_bytes)).decode("latin-1"),
                "version": exported.version,
                "sentences": exported.sentences(),
            }
        )


def _id(quoted: str) -> str:
    """Return an id as the page has it, in which bytes that are not UTF-8 are escapes."""
    return unquote(quoted, errors="surrogateescape")


async def _done(act: Callable[..., Any], *words: str) -> Any:
    """Do what an organiser asks, or say why that cannot be."""
    try:
        return await run_in_threadpool(act, *words)
    except ValueError as error:  # of an option; a disk that is full is another matter
        raise RefusedError(400, str(error)) from error
