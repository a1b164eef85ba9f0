"""Perturbations: what people, keyboards and microphones do to a text, seeded and measured."""
