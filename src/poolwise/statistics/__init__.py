"""Score tables or rankings in, findings out."""
