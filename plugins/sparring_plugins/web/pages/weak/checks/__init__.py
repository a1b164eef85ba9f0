"""Weak checks: readings of statements, in ranks, and the judgement that follows from them."""
