"""Simulated users: profiles, personas, agenda, extraction, model user.

Imports language and prompting.
"""
