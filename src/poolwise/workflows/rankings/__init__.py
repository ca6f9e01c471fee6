"""How alike rankings are by depth, persistence and date, from files of runs."""
