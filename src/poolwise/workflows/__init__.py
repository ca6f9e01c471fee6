"""From files to findings, in one call each: the only room that goes the whole way."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
