"""How alike rankings are, whatever is relevant."""
