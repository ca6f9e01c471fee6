"""How far unjudged documents can move a score, or the difference of two.

What only differences need has its names here: it is loaded when a pair of runs is asked for.
"""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
