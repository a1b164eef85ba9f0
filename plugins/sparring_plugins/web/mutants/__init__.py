"""Faults for web apps, derived from what a suite did when it was played."""
