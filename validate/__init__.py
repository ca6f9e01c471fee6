"""Our own claims, checked against real data and by simulation: ``python -m validate``."""
