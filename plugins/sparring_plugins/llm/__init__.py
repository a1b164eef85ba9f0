"""Backends that speak to language models."""
