"""The prompter: feature vectors become what is said to an app (STELLAR)."""
