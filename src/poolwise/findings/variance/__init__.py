"""Where the spread of scores comes from."""
