"""Asking a language model: templates, untrusted text, answers of a schema, repair.

Imports language.
"""
