"""Gates for releases, of runs that lie in files."""
