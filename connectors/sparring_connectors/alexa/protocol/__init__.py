"""What goes between Alexa and a skill: requests, responses, and both in words."""
