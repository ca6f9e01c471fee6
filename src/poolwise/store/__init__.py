"""What lasts: results in a ledger, one small file for each."""

from poolwise._lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
