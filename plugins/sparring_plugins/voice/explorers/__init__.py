"""The player ``explorer`` and its baselines."""
