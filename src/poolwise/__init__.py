"""Know how much your relevance judgments really tell you."""

from poolwise._lazy import lazy_names
from poolwise.version import __version__ as __version__

__getattr__, __dir__ = lazy_names(__name__, __file__)
