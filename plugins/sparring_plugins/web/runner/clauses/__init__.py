"""Sentences whose parts make sense only together: "find it, then act", "copy it, then paste it"."""
