"""What can be said of documents that nobody graded."""
