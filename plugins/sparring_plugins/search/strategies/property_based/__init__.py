"""Property-based testing with the Hypothesis library."""
