"""What the depths of pooling and of evaluation do."""
