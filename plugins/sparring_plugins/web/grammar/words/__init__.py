"""Words and marks of a sentence: tokens, quotations, numbers, verbs, nouns of controls."""
