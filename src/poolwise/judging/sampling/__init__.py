"""Samples of documents to judge, with the chance that each had to be drawn."""
