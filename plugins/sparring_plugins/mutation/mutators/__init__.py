"""Operators that put faults into the definitions of chatbots, a module per kind of chatbot."""
