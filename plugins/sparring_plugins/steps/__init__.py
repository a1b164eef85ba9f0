"""Steps of test cases in plain language: their grammar, their suites, their lint."""

from sparring_plugins.steps.reading import read_step, read_steps

__all__ = ["read_step", "read_steps"]
