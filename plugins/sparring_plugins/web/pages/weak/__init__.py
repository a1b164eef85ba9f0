"""Weak readings: what a free sentence may mean on the page at hand, without a model."""
