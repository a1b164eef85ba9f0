"""Mutation testing: faults are put into an app, and the suite must find them."""
