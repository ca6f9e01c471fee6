"""The per-topic table of scores, and what maps it to itself."""

from poolwise.late_names import late_names

__getattr__, __dir__ = late_names(__name__, __file__)
