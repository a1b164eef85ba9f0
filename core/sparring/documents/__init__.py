"""YAML files: reading with line numbers, and validation messages that name them."""
