"""File formats of other tools."""
