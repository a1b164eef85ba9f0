"""What explorers saw and found over turns, compared: the command ``compare``."""
