"""Conditions: what assertions assert, and what waits wait for."""

from sparring_plugins.web.grammar.conditions.conjunctions import read_condition

__all__ = ["read_condition"]
