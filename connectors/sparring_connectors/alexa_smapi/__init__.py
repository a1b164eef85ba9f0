"""Alexa skills in their own cloud, through Amazon's simulation API (SMAPI)."""
