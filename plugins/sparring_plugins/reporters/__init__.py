"""Reporters."""
