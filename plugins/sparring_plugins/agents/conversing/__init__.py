"""Agents of a simulated user that ask a language model: the user, its goals, its outputs."""
