"""SENSEI's selectors over the inputs of profiles."""
