"""Sentences in a tester's own words: translated once to canonical steps, then played without a model."""
