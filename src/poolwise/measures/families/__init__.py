"""The measures, by the kind of formula they have."""
