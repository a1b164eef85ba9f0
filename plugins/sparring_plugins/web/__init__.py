"""Web pages in plain language: grammar, grounding, the step runner, scripts, mutants.

Imports mutation, prompting and language.
"""
