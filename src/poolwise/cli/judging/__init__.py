"""Commands about what to judge, and about grades that come in."""
