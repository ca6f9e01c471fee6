"""Formulas that have a native kernel, and the library of these."""
