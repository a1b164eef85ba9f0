"""Sparring for Taskyto: the connector `taskyto`, and profiles proposed from a chatbot's modules."""
