"""Bytes in and out: files, dicts and frames."""
