"""The registry: what is installed, and loading it by name."""
