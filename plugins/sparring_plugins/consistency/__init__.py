"""Consistency of test cases in plain language: how far a verdict may be trusted to come again."""
