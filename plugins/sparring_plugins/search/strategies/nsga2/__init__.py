"""NSGA-II over feature vectors, as STELLAR uses it."""
