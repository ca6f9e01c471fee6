"""Gain as a function of rank, and the scores that it predicts (G16)."""
