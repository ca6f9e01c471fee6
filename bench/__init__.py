"""poolwise beside its peers, in one run, as ratios: machines differ, ratios less."""
