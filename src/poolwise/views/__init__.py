"""Findings as tables, plots, and one self-contained page."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
