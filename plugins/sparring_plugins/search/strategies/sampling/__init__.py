"""Drawing from the valid cases of a space: evenly, without repeats, in constant memory."""
