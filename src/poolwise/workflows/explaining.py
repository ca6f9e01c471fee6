"""What a measure is, and which there are."""

from poolwise.measures.explanation import explain, list_measures

__all__ = ["explain", "list_measures"]
