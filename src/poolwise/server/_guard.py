"""What stands before every page: who may ask, how, and what browsers are told of the answer."""

import json
from base64 import b64encode
from collections.abc import Mapping, MutableMapping
from hashlib import sha256
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from poolwise.server._address import Address
from poolwise.server._limits import LONGEST_BODY

__all__ = [
    "HEADERS",
    "PAGE_POLICY",
    "Guard",
    "JSONAnswer",
    "RefusedError",
    "hash_source",
    "policy",
]

_LONGEST_PATH = 300
_METHODS = ("GET", "HEAD", "POST")


class JSONAnswer(JSONResponse):
    """JSON in ASCII alone: half a character, or a byte that is not UTF-8, is an escape in it."""

    def render(self, content: Any) -> bytes:
        """Return the bytes that are sent."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


class RefusedError(Exception):
    """A request that is not answered: with which status, and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def policy(**allowed: str) -> str:
    """Return a policy that allows nothing but what is named.

    Examples
    --------
    >>> policy(script_src="'self'").split("; ")[:2]
    ["default-src 'none'", "script-src 'self'"]
    """
    nothing = dict.fromkeys(("base_uri", "form_action", "frame_ancestors"), "'none'")
    rules = {"default_src": "'none'"} | allowed | {
        name: source for name, source in nothing.items() if name not in allowed
    }  # fmt: skip
    return "; ".join(f"{name.replace('_', '-')} {source}".strip() for name, source in rules.items())


def hash_source(text: str) -> str:
    """Return how a policy names a style by its hash.

    Examples
    --------
    >>> hash_source("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


PAGE_POLICY = {
    "script_src": "'self'",
    "style_src": "'self'",
    "connect_src": "'self'",
    "img_src": "data:",
    "require_trusted_types_for": "'script'",
    "trusted_types": "'none'",
}
"""What a page of ours needs: its own script and style, and to ask its own server."""

HEADERS = {
    "Content-Security-Policy": policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer tells a browser, unless a page tells it something else."""


class Guard:
    """Refuses what no page of ours would ask, before anything else sees it.

    A page of somebody else can send requests here, by this machine's address or by a name whose
    DNS it changes; it can set neither ``Host`` nor ``Origin``, nor send JSON without asking first.
    """

    def __init__(self, app: ASGIApp, address: Address) -> None:
        self._app, self._address = app, address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a websocket is closed without a word
        send = _with_headers(send)
        try:
            self._check(scope)
            await self._app(scope, _bounded(receive), send)
        except RefusedError as error:
            await JSONAnswer({"error": str(error)}, error.status)(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._address.hosts:
            raise RefusedError(421, f"This server is called {self._address.url}.")
        if len(scope["path"]) > _LONGEST_PATH or len(scope["query_string"]) > _LONGEST_PATH:
            raise RefusedError(414, "The address is too long.")
        if scope["method"] not in _METHODS:
            raise RefusedError(405, "There is only GET and POST here.")
        if scope["method"] == "POST":
            self._check_post(headers)
        _check_site(headers)

    def _check_post(self, headers: Mapping[str, str]) -> None:
        if headers.get("origin", "").lower() not in self._address.origins:
            raise RefusedError(403, "Only pages of this server may ask for this.")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RefusedError(415, "What is sent must be JSON.")
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > LONGEST_BODY:
            raise RefusedError(413, f"At most {LONGEST_BODY:,} bytes can be sent.")


def _check_site(headers: Mapping[str, str]) -> None:
    """Refuse what a page of another site loads; following a link from there is fine."""
    site = headers.get("sec-fetch-site", "none")
    if site in ("none", "same-origin"):
        return
    is_link = headers.get("sec-fetch-mode") == "navigate"
    if not is_link or headers.get("sec-fetch-dest") != "document":
        raise RefusedError(403, "Only pages of this server may ask for this.")


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=_scope(message))
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return wrapped


def _scope(message: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    message.setdefault("headers", [])
    return message


def _bounded(receive: Receive) -> Receive:
    """Count what comes: a body may be longer than its header says, or have none."""
    length = 0

    async def wrapped() -> Message:
        nonlocal length
        message = await receive()
        length += len(message.get("body", b""))
        if length > LONGEST_BODY:
            raise RefusedError(413, f"At most {LONGEST_BODY:,} bytes can be sent.")
        return message

    return wrapped
