"""From files to findings, in one call each: the only room that goes the whole way."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
