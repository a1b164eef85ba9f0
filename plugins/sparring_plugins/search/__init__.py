"""Search-based testing (STELLAR): spaces, features, strategies, fitness, shrinking.

Imports rules, users, prompting and language.
"""
