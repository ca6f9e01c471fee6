"""Cards of collections: what their original runs tell of a new one, without these runs."""
