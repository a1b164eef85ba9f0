"""Agents of Algorithm 1 that ask a language model."""
