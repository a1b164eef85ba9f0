"""Sparring for Rasa: the connector `rasa`, and profiles proposed from a project's files."""
