"""What the judgments of a campaign tell: of runs, of assessors, and of grades."""
