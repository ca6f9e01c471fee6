"""What judging, or another sample of judgments, could do to the differences of runs."""
