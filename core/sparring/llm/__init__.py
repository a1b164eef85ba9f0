"""Between whoever asks a language model and the backend: manners, money, memory."""
