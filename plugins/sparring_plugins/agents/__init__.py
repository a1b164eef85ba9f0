"""Agents, one file per role and kind."""
