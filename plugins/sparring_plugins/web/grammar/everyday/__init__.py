"""Everyday sentences that are read as a whole, by a table of patterns."""
