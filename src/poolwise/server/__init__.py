"""The judging room as a web page: one file for each page, and what guards them."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
