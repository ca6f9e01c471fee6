"""Measures estimated from judgments that are a sample, and how far another sample could be."""
