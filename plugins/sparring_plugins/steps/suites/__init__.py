"""Test cases in plain language: files, data tables, variables, expected verdicts."""
