"""Contradictions of an app within one conversation, each with two quotations."""
