"""What a profile states: facts with kinds and names, values and the formats they are put in."""
