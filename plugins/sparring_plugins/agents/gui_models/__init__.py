"""The agents of Algorithm 1 that ask a language model, where plain rules do not know."""
