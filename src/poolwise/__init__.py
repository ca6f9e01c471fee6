"""Know how much your relevance judgments really tell you."""

from poolwise.late_names import late_names
from poolwise.version import __version__ as __version__

__getattr__, __dir__ = late_names(__name__, __file__)
