"""Rules proposed from what a profile asks for and wants to learn."""
