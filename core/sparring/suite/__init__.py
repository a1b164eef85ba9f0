"""The suite file: reading, checking, building, and its JSON Schema."""
