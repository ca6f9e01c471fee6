"""How far unjudged documents can move a score, or the difference of two."""
