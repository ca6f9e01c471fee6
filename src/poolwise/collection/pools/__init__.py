"""Which documents a pool of runs would have had judged."""
