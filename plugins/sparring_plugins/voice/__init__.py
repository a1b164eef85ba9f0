"""Exploring unknown apps (Elevate): explorers, behaviour model, problems, drafts.

Imports users, prompting and language.
"""
