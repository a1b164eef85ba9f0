"""Parts of a sentence: patterns, nouns, places, targets, and the forms made of them."""
