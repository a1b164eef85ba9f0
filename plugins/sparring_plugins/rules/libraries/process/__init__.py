"""The rule library `process`: see its YAML files."""
