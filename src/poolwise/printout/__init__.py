"""How a result shows itself: columns, tables, sentences, and where it comes from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
