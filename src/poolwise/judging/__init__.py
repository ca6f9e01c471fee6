"""What to judge next: candidates, orders of judging, and lists to judge."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
