"""Rules that judge: one conversation, its turns, several conversations, or all."""
