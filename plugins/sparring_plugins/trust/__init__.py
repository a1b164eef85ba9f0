"""Secrets that no file may hold, and suites from strangers that must do no harm."""
