"""The rule library `manners`: see its YAML files."""
