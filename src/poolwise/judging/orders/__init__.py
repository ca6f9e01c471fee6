"""Orders in which documents are judged."""
