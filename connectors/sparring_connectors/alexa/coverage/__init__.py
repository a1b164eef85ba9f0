"""Which parts of a skill a conversation reached: intents, slots, samples, handlers, lines."""
