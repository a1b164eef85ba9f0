"""Setting up: ``sparring init``, ``doctor`` and ``schema``."""
