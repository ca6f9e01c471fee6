"""How a result shows itself: columns, tables, sentences, and where it comes from."""

from poolwise.late_names import late_names

__getattr__, __dir__ = late_names(__name__, __file__)
