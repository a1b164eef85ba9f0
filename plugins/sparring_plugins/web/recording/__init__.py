"""Test cases from what a person does in a browser."""
