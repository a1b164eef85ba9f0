"""Feature spaces: how requests may vary in content, style and perturbation."""
