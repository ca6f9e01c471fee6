"""Run files of which some topics are read, and then others."""
