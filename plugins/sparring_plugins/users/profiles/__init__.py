"""User profiles: their files, variables, goals, styles and outputs."""
