"""Covering arrays: every tuple of t values in at least one case."""
