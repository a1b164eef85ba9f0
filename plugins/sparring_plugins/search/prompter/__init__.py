"""The prompter: feature vectors become utterances for an app (STELLAR)."""
