"""Alexa herself: which skill is meant, how a session goes, what she says of her own accord."""
