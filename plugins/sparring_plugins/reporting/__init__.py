"""Reporters, and what a run saw of its apps.

Imports search, voice, web, sensei's names and language.
"""
