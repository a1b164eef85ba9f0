"""What is known in a conversation: goals, values, the open form, what was said so far."""
