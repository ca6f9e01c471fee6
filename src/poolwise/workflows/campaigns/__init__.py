"""A campaign of judging: the room that hands documents out, and what its judgments tell."""
