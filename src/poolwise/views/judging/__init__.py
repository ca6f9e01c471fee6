"""The pages of the judging room: what assessors and organisers see."""
