"""What runs saw of their apps: parts reached, problems found; one run, or several compared."""
