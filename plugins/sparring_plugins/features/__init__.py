"""Feature spaces: how requests to an app may vary in content, style and perturbation."""
