"""How probable each grade is for an unjudged document, learned from the judged ones."""
