"""Judges: a question on a conversation or a text, answered with one of given options."""
