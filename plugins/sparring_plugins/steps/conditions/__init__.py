"""Conditions: what assertions assert, and what waits wait for."""

from sparring_plugins.steps.conditions.joints import read_condition

__all__ = ["read_condition"]
