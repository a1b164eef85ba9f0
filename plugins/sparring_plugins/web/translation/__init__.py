"""Sentences in a tester's own words, translated once to canonical steps."""
