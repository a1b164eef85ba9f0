"""How a language model is asked: templates, untrusted text, answers with a shape, repair.

Imports language.
"""
