"""Names that a package has, imported when they are asked for: a command needs few of them."""

import re
import sys
from ast import literal_eval
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

__all__ = ["lazy_names"]


def lazy_names(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names stand in its stub.

    The stub, ``__init__.pyi`` beside the file, has nothing but lines such as ``from .place import
    name as name``, or ``from .place import *`` for all that a module exports. It is read when the
    first name, or ``__all__``, is asked for; a module with a star only for names that no other
    line has.

    Parameters
    ----------
    package : str
        The ``__name__`` of the package.
    file : str
        Its ``__file__``.

    Returns
    -------
    two callables
        What the package calls ``__getattr__`` and ``__dir__``.

    Examples
    --------
    >>> import poolwise.measures
    >>> attribute, names = lazy_names("poolwise.measures", poolwise.measures.__file__)
    >>> str(attribute("parse_measure")("P@5")), "CATALOGUE" in names()
    ('P@5', True)
    """

    @cache
    def stub() -> str:
        return Path(file).with_suffix(".pyi").read_text(encoding="utf-8")

    @cache
    def places() -> dict[str, str]:
        return _places(stub())

    @cache
    def starred() -> dict[str, str]:
        stars = re.findall(_STAR, stub())
        return {name: place for place in stars for name in _exported(package, file, place)}

    def names() -> list[str]:
        return sorted({*places(), *starred()})

    def attribute(name: str) -> object:
        if name == "__all__":
            return [name for name in names() if not name.startswith("__")]
        # Python asks for names such as __path__ on its own account: nothing is loaded for those.
        place = places().get(name) or ("" if name.startswith("__") else starred().get(name))
        if not place:
            raise AttributeError(_no_such_name(package, name))
        value = (
            import_module(f"{package}.{name}")
            if place == "."
            else getattr(import_module(place, package), name)
        )
        setattr(sys.modules[package], name, value)
        return value

    return attribute, names


_STAR = r"(?m)^from (\S+) import \*"
_ALL = r"(?m)^__all__ = (\[[^]]*\])$"


def _exported(package: str, file: str, place: str) -> list[str]:
    """Return what a module exports: as its text lists it, so that nothing is loaded, or as it says.

    Examples
    --------
    >>> import poolwise.studies
    >>> "swap_rates" in _exported("poolwise.studies", poolwise.studies.__file__, "._swaps")
    True
    """
    source = Path(file).parent.joinpath(*place.lstrip(".").split(".")).with_suffix(".py")
    listed = re.search(_ALL, source.read_text(encoding="utf-8")) if source.exists() else None
    names = literal_eval(listed[1]) if listed else import_module(place, package).__all__
    return list(names)


def _places(stub: str) -> dict[str, str]:
    r"""Return the module of each name in a stub.

    Examples
    --------
    >>> _places("from . import a as a\nfrom .b.c import (\n    d as d,\n)\n")
    {'a': '.', 'd': '.b.c'}
    """
    places: dict[str, str] = {}
    for statement in f"\n{stub}".split("\nfrom ")[1:]:
        place, _, rest = statement.partition(" import ")
        words = rest.replace("(", " ").replace(")", " ").split()
        places |= {words[i - 1]: place for i, word in enumerate(words) if word == "as"}
    return places


def _no_such_name(package: str, name: str) -> str:
    """Say that a package lacks a name, and what it is called now where it had it before."""
    from poolwise._renamed import RENAMED  # noqa: PLC0415, late: seldom needed

    now = RENAMED.get(f"{package.partition('.')[2]}.{name}".lstrip("."))
    # The functions of studies take what is read: workflows alone go from files to findings.
    read = "; it takes what score_runs, as_evidence or as_collection return"
    more = read if name.startswith("study_") else ""
    hint = f": it is {now} now{more}" if now else ""
    return f"module {package!r} has no attribute {name!r}{hint}"
