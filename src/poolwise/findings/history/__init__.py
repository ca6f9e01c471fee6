"""Results over time: ranks as intervals, a run in context, trends over years."""
