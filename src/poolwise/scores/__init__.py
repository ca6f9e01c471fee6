"""The per-topic table of scores, and what maps it to itself."""
