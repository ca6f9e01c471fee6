"""Whether two sets of scores order systems alike."""
