"""Functions offered inside rules."""
