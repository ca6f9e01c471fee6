"""How many topics an experiment needs."""
