"""Scores measured from what reference systems achieve on the same topic."""
