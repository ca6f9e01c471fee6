"""What lasts of a campaign: its settings, its texts, and a journal of what happened."""
