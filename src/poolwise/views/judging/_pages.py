"""The pages of the judging room, from their templates."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from poolwise.errors import MissingExtraError
from poolwise.views.judging._guidelines import guidelines_markup

__all__ = [
    "ASSETS",
    "GradeKey",
    "assessor_page",
    "asset",
    "enter_page",
    "message_page",
    "organiser_page",
]


class GradeKey(NamedTuple):
    """A grade as its key shows it: its number, its label, and what it means."""

    grade: float
    label: str
    means: str = ""


ASSETS = {
    "judging.css": ("report/page.css", "judging/room.css"),
    "enter.js": ("judging/enter.js",),
    "judge.js": ("judging/judge.js",),
    "organise.js": ("judging/organise.js",),
    "tables.js": ("report/page_tables.js",),
}
"""What pages load, and the files that each is put together from."""


@cache
def asset(name: str) -> bytes:
    """Return a style or a script of the pages.

    Examples
    --------
    >>> asset("enter.js")[:2]
    b'//'
    """
    files = resources.files("poolwise.views")
    return b"\n".join(files.joinpath(part).read_bytes() for part in ASSETS[name])


@cache
def _templates() -> Any:
    try:
        import jinja2  # noqa: PLC0415 -- optional package
    except ImportError as error:
        raise MissingExtraError("jinja2", "judging") from error
    return jinja2.Environment(
        loader=jinja2.PackageLoader("poolwise.views", "judging"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )


def _drawn(template: str, **values: Any) -> bytes:
    text: str = _templates().get_template(template).render(**values)
    # Bytes of names that are not UTF-8 stand as escapes, since a page is UTF-8.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace").encode()


def _markup(text: str) -> Any:
    """Mark text as markup of ours, which the templates leave as it is."""
    from markupsafe import Markup  # noqa: PLC0415 -- comes with jinja2

    return Markup(text)  # noqa: S704 -- escaped where it was made


def enter_page() -> bytes:
    """Return the page that a personal link opens."""
    return _drawn("enter.html", campaign="")


def message_page(heading: str, *sentences: str) -> bytes:
    """Return a page that says something.

    Examples
    --------
    >>> b"<p>a &lt; b</p>" in message_page("Wrong", "a < b")
    True
    """
    return _drawn("message.html", campaign="", heading=heading, sentences=sentences)


def assessor_page(
    campaign: str, room: str, grades: Sequence[GradeKey], guidelines: str, version: str
) -> bytes:
    """Return the page on which an assessor judges; its script asks for the documents.

    Parameters
    ----------
    campaign
        What the campaign is called.
    room
        What answers that wait in the browser are kept under: one for each campaign and person.
    grades
        The scale, from the lowest grade to the highest.
    guidelines, version
        What assessors are told, in Markdown, and which version of it this is.
    """
    return _drawn(
        "assessor.html",
        campaign=campaign,
        room=room,
        grades=grades,
        scale=json.dumps([{"grade": grade.grade, "label": grade.label} for grade in grades]),
        guidelines=_markup(guidelines_markup(guidelines)),
        version=version,
    )


def organiser_page(
    campaign: str,
    version: str,
    headings: Mapping[str, str],
    parts: Mapping[str, str],
    rules: Mapping[str, str],
) -> bytes:
    """Return the page of an organiser, with its parts as they are now."""
    return _drawn(
        "organiser.html",
        campaign=campaign,
        version=version,
        headings=headings,
        parts={name: _markup(text) for name, text in parts.items()},
        rules=rules,
    )
