"""What can be concluded from scores and rankings."""
