"""What to judge next, and grades brought back, of collections that lie in files."""
