"""Studies of estimates for unjudged documents."""
