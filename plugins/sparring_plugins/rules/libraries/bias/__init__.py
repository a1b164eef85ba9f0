"""The rule library `bias`: see its YAML files."""
