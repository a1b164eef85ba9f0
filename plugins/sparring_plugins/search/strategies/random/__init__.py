"""Random testing."""
