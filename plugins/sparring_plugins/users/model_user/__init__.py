"""Simulated users by a language model: the user, its goal checker, its extractor."""
