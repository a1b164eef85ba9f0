"""Plugins for Sparring, to copy."""
