"""Ladle, a recipe finder: it reads what somebody wants to cook, and looks into its recipes."""
