"""The per-topic table of scores, and what maps it to itself."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
