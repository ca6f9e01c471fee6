"""Judgments and runs, met with each other, as numbers: systems × topics × ranks."""
