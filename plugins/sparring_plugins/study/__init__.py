"""Comparing strategies and explorers over apps and seeds: ``sparring study`` and ``compare``."""
