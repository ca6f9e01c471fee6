"""A small static site about a ledger of results."""
