"""Text in a window of a terminal: lines end between words, not inside of them."""

import os
import sys
from typing import TextIO

__all__ = ["for_standard_error", "width_of"]


def width_of(stream: TextIO | None) -> int | None:
    """Return the characters of a line where a stream is a terminal; None where it is none."""
    if stream is None or not stream.isatty():
        return None
    told = os.environ.get("COLUMNS", "")
    try:
        return int(told) if told.isdigit() else os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return None


def for_standard_error(text: str) -> str:
    """Return text whose long lines are broken between words, if standard error is a terminal."""
    from textwrap import fill

    width = width_of(sys.stderr)
    if not width:
        return text
    return "\n".join(
        line
        if len(line) <= width
        else fill(line, width, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )
