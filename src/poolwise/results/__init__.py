"""How a result shows itself: columns, tables, sentences, files that say what made them."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
