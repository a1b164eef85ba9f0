"""The grammar of steps: from a line of text to its sensible readings."""
