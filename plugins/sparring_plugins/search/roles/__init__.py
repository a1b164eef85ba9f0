"""Typed tasks and answers of search-based testing: writer, perturbation, fitness."""
