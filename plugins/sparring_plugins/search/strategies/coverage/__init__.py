"""A full matrix over some features, visited evenly."""
