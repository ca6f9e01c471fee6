"""Measures of diversity: how well the first ranks tell about all subtopics of a topic."""
