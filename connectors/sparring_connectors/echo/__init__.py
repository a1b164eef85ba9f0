"""A connector that repeats what it is told."""
