"""Judges and how far they can be trusted: generic failures, judge agents, calibration.

Imports search, prompting and language.
"""
