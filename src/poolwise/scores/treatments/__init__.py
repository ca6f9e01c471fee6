"""Ways to score runs that have unjudged documents."""
