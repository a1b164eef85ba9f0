"""The agenda-based user: no model."""
