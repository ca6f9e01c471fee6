"""Charts of the report, one function each, and their one style."""
