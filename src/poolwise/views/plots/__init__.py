"""Figures of findings, for notebooks and papers."""
