"""What the judgments of a pool lack, from whatever runs and judgments can be read from."""
