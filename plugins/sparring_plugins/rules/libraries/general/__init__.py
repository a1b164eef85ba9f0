"""The rule library `general`: see its YAML files."""
