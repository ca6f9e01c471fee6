"""Which system is better, and how sure that is."""
