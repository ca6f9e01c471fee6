"""Plans of experiments: power, topics, depth and steps."""
