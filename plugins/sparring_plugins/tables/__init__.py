"""Published tables, computed again from their data."""
