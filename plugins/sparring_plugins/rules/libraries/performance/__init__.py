"""The rule library `performance`: see its YAML files."""
