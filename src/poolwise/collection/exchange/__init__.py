"""Judgments in the formats of the tools that people judge with, both ways."""
