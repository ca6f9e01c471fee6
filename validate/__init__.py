"""Our own claims, checked by simulation on real data."""
