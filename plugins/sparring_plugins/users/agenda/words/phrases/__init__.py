"""What the user says, as data: one file of frames per language."""
