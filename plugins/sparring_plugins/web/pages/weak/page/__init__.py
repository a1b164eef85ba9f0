"""What a page holds and what words name on it: the ground of weak acts and weak checks."""
