"""Grades in, scores with their bounds out; no ids, no files."""
