"""Mutation testing: faults are put into a chatbot's definition, and the suite must find them."""
