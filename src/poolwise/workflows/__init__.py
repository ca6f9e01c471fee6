"""From files to findings, in one call each: the only room that goes the whole way."""

from poolwise.late_names import late_names

__getattr__, __dir__ = late_names(__name__, __file__)
