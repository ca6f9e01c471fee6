"""The application: which address leads to which page."""

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from poolwise.errors import PoolwiseError
from poolwise.server._address import Address
from poolwise.server._assessing import Assessing
from poolwise.server._guard import PAGE_POLICY, Guard, JSONAnswer, RefusedError, policy
from poolwise.server._organising import Organising
from poolwise.server._people import People
from poolwise.views.judging._pages import ASSETS, asset, enter_page, message_page

if TYPE_CHECKING:
    from poolwise.workflows.campaigns._room import CampaignRoom

__all__ = ["make_app"]

_TYPES = {"css": "text/css", "js": "text/javascript"}
_PAGES = ("/judge", "/organise")


def make_app(room: "CampaignRoom", address: Address) -> Guard:
    """Return the application that serves a room.

    Parameters
    ----------
    room : CampaignRoom
        The open campaign.
    address : Address
        Where it is reached.
    """
    people = People(room, address)
    assessing, organising = Assessing(people), Organising(people)
    pages = {
        ("GET", "/judge"): ("assessor", assessing.page),
        ("POST", "/api/work"): ("assessor", assessing.work),
        ("POST", "/api/answers"): ("assessor", assessing.answers),
        ("POST", "/api/last"): ("assessor", assessing.last),
        ("GET", "/api/frame/{lease:int}"): ("assessor", assessing.frame),
        ("GET", "/organise"): ("organiser", organising.page),
        ("GET", "/api/organise/parts"): ("organiser", organising.parts),
        ("POST", "/api/organise/pause"): ("organiser", organising.pause),
        ("POST", "/api/organise/invite"): ("organiser", organising.invite),
        ("POST", "/api/organise/retire"): ("organiser", organising.retire),
        ("POST", "/api/organise/text"): ("organiser", organising.text),
        ("POST", "/api/organise/adjudicate"): ("organiser", organising.adjudicate),
        ("POST", "/api/organise/export"): ("organiser", organising.export),
    }
    routes = [
        Route(path, people.only(kind, answer), methods=[method])
        for (method, path), (kind, answer) in pages.items()
    ]
    routes += [
        Route("/", _home),
        Route("/enter", _enter),
        Route("/api/enter", people.enter, methods=["POST"]),
        Route("/assets/{name}", _asset),
    ]
    handlers = {RefusedError: _refused, PoolwiseError: _failed, 404: _nothing, 405: _nothing}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), address)


async def _home(request: Request) -> Response:
    del request
    return RedirectResponse("enter")


async def _enter(request: Request) -> Response:
    del request
    headers = {"Content-Security-Policy": policy(**PAGE_POLICY)}
    return HTMLResponse(enter_page(), headers=headers)


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        raise RefusedError(404, "There is no such page.")
    return Response(asset(name), media_type=_TYPES[name.rpartition(".")[2]])


async def _refused(request: Request, error: Exception) -> Response:
    """Say why, on a page where a page was asked for."""
    status = error.status if isinstance(error, RefusedError) else 500
    if request.url.path not in _PAGES:
        return JSONAnswer({"error": str(error)}, status)
    page = message_page("This page is not open to you", str(error))
    headers = {"Content-Security-Policy": policy(style_src="'self'", img_src="data:")}
    return HTMLResponse(page, status, headers=headers)


async def _failed(request: Request, error: Exception) -> Response:
    """Say what went wrong with the campaign, such as a full disk; the page asks again later."""
    del request
    return JSONAnswer({"error": str(error)}, 503)


async def _nothing(request: Request, error: Exception) -> Response:
    del request, error
    return JSONAnswer({"error": "There is no such page."}, 404)
