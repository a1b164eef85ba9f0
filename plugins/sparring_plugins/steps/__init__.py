"""Steps of test cases in plain language: their grammar, their files, their lint."""

from sparring_plugins.steps.asserting import is_assertion
from sparring_plugins.steps.reading import read_step, read_steps
from sparring_plugins.steps.suites.case import TestCase
from sparring_plugins.steps.suites.loading import load_test_cases

__all__ = ["TestCase", "is_assertion", "load_test_cases", "read_step", "read_steps"]
