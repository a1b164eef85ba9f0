"""The oracle ``voice-problems``: Elevate's five kinds of problems."""
