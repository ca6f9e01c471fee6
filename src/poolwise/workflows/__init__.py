"""From files to findings, in one call: the only room that walks the whole way."""
