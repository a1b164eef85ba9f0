"""What an app's output does: dialogue acts, listed choices, similarity of outputs."""
