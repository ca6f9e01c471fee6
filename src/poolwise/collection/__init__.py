"""What was judged and what was retrieved, by id."""
