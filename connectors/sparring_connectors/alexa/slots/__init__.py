"""Slot values: from words to what Alexa sends, by slot type."""
