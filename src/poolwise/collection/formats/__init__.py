"""Whatever people hold in memory, told by its shape: no library of theirs is imported for it."""
