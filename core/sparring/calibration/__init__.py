"""Measuring how far agents, functions and oracles can be trusted, on labelled examples."""
