"""YAML files that people write: read with positions, checked with messages that name them."""
