"""What was asked, inferred and read; references; files that are written whole or not at all."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
