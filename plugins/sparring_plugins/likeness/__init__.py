"""Measures of how alike cases are, for refusing duplicates before they are played."""
