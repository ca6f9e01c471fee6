"""How scores are distributed over systems and topics."""
