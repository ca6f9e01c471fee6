"""Judgments and runs, met with each other, as numbers: systems × topics × ranks."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
