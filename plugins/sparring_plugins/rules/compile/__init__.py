"""From checked syntax to expressions that are evaluated with bounded work."""
