"""From what a user says to an intent with slots, by rules and always the same way."""
