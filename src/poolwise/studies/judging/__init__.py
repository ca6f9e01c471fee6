"""Studies of how documents are chosen for judging."""
