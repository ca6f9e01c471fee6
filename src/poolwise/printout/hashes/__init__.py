"""Hashes of input files, made ahead of the need for them."""
