"""Measures of how similar cases are, for refusing duplicates before they are played."""
