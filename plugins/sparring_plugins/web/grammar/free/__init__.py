"""Free sentences of testers: the words, whether they act or check, and what they want or state."""
