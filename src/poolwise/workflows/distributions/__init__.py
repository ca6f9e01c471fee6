"""How scores are distributed, from tables of scores."""
