"""Which RBP orders systems as another measure does."""
