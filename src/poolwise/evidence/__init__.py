"""Judgments and runs, met with each other, as numbers: systems × topics × ranks."""

from poolwise.late_names import late_names

__getattr__, __dir__ = late_names(__name__, __file__)
