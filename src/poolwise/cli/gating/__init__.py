"""``poolwise gate``, and the file that its options may stand in."""
