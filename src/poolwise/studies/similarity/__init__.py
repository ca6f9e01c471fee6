"""How alike rankings stay: over time, and as they are made worse."""
