"""One self-contained page."""
