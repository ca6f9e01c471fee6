"""How a result shows itself: columns, tables, sentences, and where it comes from."""
