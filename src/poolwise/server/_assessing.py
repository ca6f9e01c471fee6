"""The page of an assessor: documents out, answers in."""

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from poolwise.errors import OptionError
from poolwise.server._guard import PAGE_POLICY, JSONAnswer, RefusedError, hash_source, policy
from poolwise.server._people import People, body_of, members_of
from poolwise.views.judging._html_documents import FRAME_STYLE, frame_page, text_of_html
from poolwise.views.judging._marking import by_query, query_words
from poolwise.views.judging._pages import GradeKey, assessor_page
from poolwise.workflows.campaigns._messages import Answer, Assignment
from poolwise.workflows.campaigns._state import instant

if TYPE_CHECKING:
    from poolwise.workflows.campaigns._state import Person

__all__ = ["Assessing"]

_MOST = 10
"""Documents that a page may hold at one time: what one person holds, others cannot get."""
_POLICY = policy(**PAGE_POLICY, frame_src="'self'")
_FRAME = {
    "Content-Security-Policy": policy(
        style_src=hash_source(FRAME_STYLE), frame_ancestors="'self'", sandbox=""
    ),
    "X-Frame-Options": "SAMEORIGIN",
}
_KINDS: dict[str, tuple[type, ...]] = {
    "client_id": (str,),
    "lease": (int,),
    "kind": (str,),
    "grade": (int, float, type(None)),
    "note": (str,),
    "shown_at": (str,),
    "active_ms": (int, type(None)),
    "replaces": (int, type(None)),
}
"""The members of an answer."""


class Assessing:
    """What an assessor's page asks for. It tells no rank, run, score, or grade of others."""

    def __init__(self, people: People) -> None:
        self._people, self._room = people, people.room

    async def page(self, request: Request, person: "Person") -> Response:
        """Return the page; its script asks for all else."""
        del request
        briefing = self._room.briefing(person.name)
        # What the page keeps in the browser goes by campaign and person, since several people may
        # share a machine; a hash, so that nobody reads there who else judges.
        place = sha256(f"{self._people.campaign}\0{person.name}".encode()).hexdigest()[:16]
        grades = [GradeKey(grade.grade, grade.label, grade.means) for grade in briefing.grades]
        page = assessor_page(
            briefing.campaign, place, grades, briefing.guidelines, briefing.guidelines_version
        )
        return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})

    async def work(self, request: Request, person: "Person") -> Response:
        """Hand out documents; of those that the page has, the time that is left alone."""
        count, have = members_of(await body_of(request), count=int, have=list)
        leases = {lease for lease in have if isinstance(lease, int)}
        return JSONAnswer(await run_in_threadpool(self._work, person.name, count, leases))

    def _work(self, name: str, count: int, leases: set[int]) -> dict[str, Any]:
        work, now = self._room.assign(name, min(count, _MOST)), self._room.now()
        return {
            "state": work.state,
            "reason": work.reason,
            "work": [
                {"lease": assignment.lease, "seconds": instant(assignment.expires) - now}
                | ({} if assignment.lease in leases else _shown(assignment))
                for assignment in work.assignments
            ],
            "progress": self._room.progress(name)._asdict(),
        }

    async def answers(self, request: Request, person: "Person") -> Response:
        """Take answers in; the reply comes when they are on the disk."""
        (raw_answers,) = members_of(await body_of(request), answers=list)
        answers = [_answer(raw) for raw in raw_answers]
        return JSONAnswer(await run_in_threadpool(self._record, person.name, answers))

    def _record(self, name: str, answers: list[Answer]) -> dict[str, Any]:
        try:
            receipts = self._room.record(name, answers)
        except OptionError as error:
            raise RefusedError(413, str(error)) from error
        return {
            "answers": [receipt._asdict() for receipt in receipts],
            "progress": self._room.progress(name)._asdict(),
        }

    async def last(self, request: Request, person: "Person") -> Response:
        """Return the last answer, so that it can be undone after a reload."""
        await body_of(request)
        return JSONAnswer({"last": await run_in_threadpool(self._last, person.name)})

    def _last(self, name: str) -> dict[str, Any] | None:
        standing = (entry for entry in self._room.history(name) if entry.kind != "withdrawn")
        for past in standing:
            again = self._room.show_again(name, past.lease)
            if again is not None:
                return {"judgment": past.judgment, "item": {"lease": past.lease} | _shown(again)}
        return None

    async def frame(self, request: Request, person: "Person") -> Response:
        """Return a document that is HTML, for a frame that lets it do nothing."""
        lease = request.path_params["lease"]
        assignment = await run_in_threadpool(self._room.show_again, person.name, lease)
        if assignment is None or not assignment.html:
            raise RefusedError(404, "This is no document of yours.")
        words = query_words(assignment.topic.query)
        return HTMLResponse(
            await run_in_threadpool(frame_page, assignment.text, words), headers=_FRAME
        )


def _shown(assignment: Assignment) -> dict[str, Any]:
    """Return what the page shows of a document: neither its id, nor those of its copies."""
    words = query_words(assignment.topic.query)
    text = text_of_html(assignment.text) if assignment.html else assignment.text
    return {
        "query": assignment.topic.query,
        "description": assignment.topic.description,
        "narrative": assignment.topic.narrative,
        "title": by_query(assignment.title, words),
        "text": by_query(text, words),
        "html": assignment.html,
        "copies": len(assignment.copies),
        "practice": assignment.practice,
    }


def _answer(sent: Any) -> Answer:
    if not isinstance(sent, dict) or not set(sent) <= set(_KINDS):
        raise RefusedError(400, f"An answer must be an object with {', '.join(_KINDS)}.")
    return Answer(*members_of(sent, **_KINDS))
