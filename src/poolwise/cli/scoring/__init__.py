"""Commands that score runs by judgments of another kind."""
